import { DomainError } from '../errors.js';

/** How much one stream may make the process hold. Sizes are in bytes of UTF-8. */
export interface IngestLimits {
  /** One line; in SSE the data of one event; in a JSON array one element. */
  readonly lineBytes: number;
  /** Nesting of one JSON value. */
  readonly jsonDepth: number;
  /** Content blocks, and calls without a result, that are open at once. */
  readonly openBlocks: number;
  /** Text, tool input and citations that wait for their message to end. */
  readonly heldBytes: number;
}

export const DEFAULT_LIMITS: IngestLimits = {
  lineBytes: 4 * 1024 * 1024,
  jsonDepth: 100,
  openBlocks: 1_000,
  heldBytes: 8 * 1024 * 1024,
};

const FAULTS = {
  lineBytes: {
    code: 'PAYLOAD_TOO_LARGE',
    expected: (max: number) => `expected lines of at most ${max} bytes, got a longer one`,
    advice: 'Send one event a line, in smaller deltas.',
  },
  jsonDepth: {
    code: 'BAD_USER_INPUT',
    expected: (max: number) => `expected JSON nested at most ${max} deep, got deeper`,
    advice: 'Send the events as the model service wrote them.',
  },
  openBlocks: {
    code: 'BAD_USER_INPUT',
    expected: (max: number) => `expected at most ${max} open blocks, got more`,
    advice: 'Close blocks before opening others.',
  },
  heldBytes: {
    code: 'PAYLOAD_TOO_LARGE',
    expected: (max: number) => `expected at most ${max} bytes in one unfinished message, got more`,
    advice: 'End the message, or send it in several.',
  },
} as const satisfies Record<keyof IngestLimits, object>;

/**
 * The fault of a stream that goes past a limit: PAYLOAD_TOO_LARGE for a size, BAD_USER_INPUT for a shape. `details.limit`
 * names the limit, `details.max` its value; nothing of the stream is repeated (P10).
 */
export function pastLimit(limit: keyof IngestLimits, limits: IngestLimits): DomainError {
  const { code, expected, advice } = FAULTS[limit];
  const max = limits[limit];
  const message = `stream: ${expected(max)}. What came before is kept. ${advice}`;
  return new DomainError(code, message, { limit, max });
}
