import { createClient } from 'graphql-ws';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { traceFields } from '../../src/http/trace.js';
import { type House, openHouse } from '../events/house.js';
import { failStatement } from '../subscriptions/held-statement.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;

/** Reads a session, which is made to fail. */
const QUERY = 'query ($id: ID!) { session(sessionId: $id) { title } }';
const SESSION = /FROM "public"."session"/;

let house: House;
let sessionId: string;
const logged: { trace_id?: string; span_id?: string; msg: string }[] = [];
beforeAll(async () => {
  const log = pino(
    { level: 'warn', mixin: traceFields },
    { write: (line) => void logged.push(JSON.parse(line)) },
  );
  // What fails once is not asked for again.
  house = await openHouse({ log, env: { TIDINGS_FAST: 'off' } });
  sessionId = await house.newSession();
});
beforeEach(() => {
  logged.splice(0);
});
afterAll(() => house.close());

/** What was logged of the trace, once an operation has failed. */
const told = () => logged.map(({ trace_id, span_id }) => ({ trace_id, span_id }));

async function failOverHttp(traceparent: string) {
  failStatement(house.database.pool, SESSION);
  await fetch(`${house.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${house.tokens.member}`,
      traceparent,
    },
    body: JSON.stringify({ query: QUERY, variables: { id: sessionId } }),
  });
}

async function failOverSocket(params: object, headers: Record<string, string> = {}) {
  class Traced extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { headers });
    }
  }
  const client = createClient({
    url: `${house.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Traced,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${house.tokens.member}`, ...params },
  });
  failStatement(house.database.pool, SESSION);
  await client.iterate({ query: QUERY, variables: { id: sessionId } }).next();
  await client.dispose();
}

describe('a log line says which trace it belongs to', () => {
  it('that a request names', async () => {
    await failOverHttp(TRACEPARENT);
    expect(told()).toEqual([{ trace_id: TRACE, span_id: SPAN }]);
  });

  it('that a WebSocket names, in its connectionParams or its headers', async () => {
    await failOverSocket({ traceparent: TRACEPARENT });
    await failOverSocket({}, { traceparent: TRACEPARENT });
    expect(told()).toEqual(Array(2).fill({ trace_id: TRACE, span_id: SPAN }));
  });

  it('of a later version, whatever else that says', async () => {
    await failOverHttp(`cc-${TRACE}-${SPAN}-01-what-is-new`);
    expect(told()).toEqual([{ trace_id: TRACE, span_id: SPAN }]);
  });

  it.each([
    'none',
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
  ])('and nothing where that is no trace: %s', async (traceparent) => {
    await failOverHttp(traceparent);
    expect(told()).toEqual([{ trace_id: undefined, span_id: undefined }]);
  });
});
