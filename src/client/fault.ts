/** What a server says of a fault, as GraphQL has it. */
export interface GraphQLFault {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** How often in a row a code is met with another try; one that is not here ends it at once. */
const TOLERATED: Readonly<Record<string, number>> = {
  CONNECTION_LOST: Number.POSITIVE_INFINITY,
  SHUTTING_DOWN: Number.POSITIVE_INFINITY,
  TIMEOUT: Number.POSITIVE_INFINITY,
  RATE_LIMITED: Number.POSITIVE_INFINITY,
  // The next try has what `token` gives then.
  UNAUTHENTICATED: 3,
  NO_TOKEN: 3,
  INTERNAL_SERVER_ERROR: 3,
};

interface FaultDetails {
  readonly errors?: readonly GraphQLFault[] | undefined;
  readonly checkpoint?: string | undefined;
  /** How long to wait at least, in ms. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Why it ended, or waits: a code of Tidings, or one of CONNECTION_LOST, NO_TOKEN, BAD_DOCUMENT and REFUSED. */
export class FollowError extends Error {
  override readonly name = 'FollowError';
  /** Of INVALID_CURSOR: MALFORMED, WRONG_LOG or AHEAD. */
  readonly reason: string | undefined;
  /** All that the server said. */
  readonly errors: readonly GraphQLFault[];
  /** Of the update that could not be made in whole: where whoever can do without it goes on. */
  readonly checkpoint: string | undefined;
  readonly retryAfter: number;

  constructor(
    readonly code: string,
    message: string,
    { errors = [], checkpoint, retryAfter = 0, cause }: FaultDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    const reason = errors[0]?.extensions?.reason;
    this.reason = typeof reason === 'string' ? reason : undefined;
    this.errors = errors;
    this.checkpoint = checkpoint;
    this.retryAfter = retryAfter;
  }

  /** After so many in a row it is for the caller to know. */
  get tolerated(): number {
    return TOLERATED[this.code] ?? 0;
  }
}

export const connectionLost = (message: string, cause?: unknown) =>
  new FollowError('CONNECTION_LOST', message, { cause });

/** What a server refused, or could not make; the first error says which. */
export function faultOf(errors: readonly GraphQLFault[], details: Omit<FaultDetails, 'errors'> = {}) {
  const [first] = errors;
  const code = first?.extensions?.code;
  return new FollowError(typeof code === 'string' ? code : 'REFUSED', first?.message ?? 'Refused.', {
    ...details,
    errors,
  });
}

/** Why a WebSocket was closed. A credential's end has the code as its reason, alone or before a colon. */
export function faultOfClose(code: number, reason: string): FollowError {
  const told = reason === '' ? '' : ` (${reason})`;
  const message = `The WebSocket was closed with ${code}${told}.`;
  if (code === 4401 || code === 4403) {
    const [named = 'UNAUTHENTICATED'] = /^[A-Z]+_?[A-Z_]+(?=$|:)/.exec(reason) ?? [];
    return new FollowError(named, message);
  }
  if (code === 1009) return new FollowError('PAYLOAD_TOO_LARGE', message);
  // Of the protocol's own codes only this one is for a slow line.
  if (code >= 4400 && code < 4500 && code !== 4408) return new FollowError('REFUSED', message);
  return connectionLost(message);
}
