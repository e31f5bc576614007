import { pino } from 'pino';
import { expect } from 'vitest';
import { readConfig } from '../../src/config.js';
import { startGateway } from '../../src/gateway.js';
import { chunksOf } from '../chunks.js';
import { type House, openHouse } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';

/** From one look to the next, in ms, where looks alone are to find out. */
export const SOON = 50;

/** So seldom that hints alone can have told. */
export const NEVER = 3_600_000;

export interface Message {
  readonly event: string;
  readonly data?: {
    readonly data?: Readonly<Record<string, unknown>> | null;
    readonly errors?: readonly {
      readonly message: string;
      readonly extensions: Readonly<Record<string, unknown>>;
    }[];
  };
}

/** A subscription as server-sent events: what came, and how it ended. */
export async function openEventStream(url: string, token: string, query: string, variables: object = {}) {
  const leave = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ query, variables }),
    signal: leave.signal,
  });
  const messages: Message[] = [];
  const read = async (body: AsyncIterable<Uint8Array>) => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const [, event, data] = /^event: (\w+)\ndata: ?(.*)$/.exec(part) ?? [];
        if (event !== undefined) messages.push({ event, ...(data && { data: JSON.parse(data) }) });
      }
    }
    return 'whole';
  };
  const ended = read(chunksOf(response)).catch(() => 'cut');
  await eventually(() => expect(messages.length).toBeGreaterThan(0));
  return { messages, ended, leave: () => leave.abort() };
}

/** The code and message of the errors of the last update before the end. */
export const farewellOf = (messages: readonly Message[]) => {
  expect(messages.at(-1)).toEqual({ event: 'complete' });
  const { data, errors = [] } = messages.at(-2)?.data ?? {};
  return { data, errors: errors.map(({ message, extensions }) => ({ message, code: extensions.code })) };
};

/** Another server on the same database, with a bus of its own, so that no hint of the first reaches it. */
export async function openReplica({ database }: House, authorityPace: number) {
  const config = readConfig({ PORT: '0', TIDINGS_DEMO: 'off', RATE_LIMIT: 'off', TIDINGS_DRAIN: '0' });
  const shared = { ...database, close: async () => undefined };
  return startGateway(config, {
    database: shared,
    log: pino({ level: 'silent' }),
    sweepPace: NEVER,
    authorityPace,
  });
}

export const open = (authorityPace: number) => openHouse({ authorityPace });
