import { connectionLost, FollowError, faultOf, type GraphQLFault } from './fault.js';
import { readEvents } from './server-sent-events.js';
import type { Connection, Result, Transport } from './transport.js';

/** After how long without a byte a stream counts as broken, in ms; Tidings says every 12 s that it is alive. */
const SILENCE = 30_000;

/** Follows by server-sent events (graphql-sse, distinct connections). Read as it is asked for: who is slow holds the server back. */
export const overEventStream = (fetch: typeof globalThis.fetch): Transport =>
  async function* (connection) {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    connection.signal.addEventListener('abort', leave);
    try {
      const response = await inTime(leave, () => ask(fetch, connection, leaving.signal));
      if (!isEventStream(response)) throw await refusalOf(response, leave);
      for await (const { event, data } of readEvents(chunks(response, leave))) {
        if (event === 'next') yield JSON.parse(data) as Result;
        if (event === 'complete') break;
      }
      if (!connection.signal.aborted) throw connectionLost('The event stream ended.');
    } finally {
      connection.signal.removeEventListener('abort', leave);
      leave();
    }
  };

function ask(
  fetch: typeof globalThis.fetch,
  { url, authorization, request }: Connection,
  signal: AbortSignal,
) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(authorization && { authorization }),
    },
    body: JSON.stringify(request()),
    signal,
  });
}

async function* chunks({ body }: Response, leave: () => void): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await inTime(leave, () => reader.read());
    if (done) return;
    yield value;
  }
}

/** Waits for the network, but not for ever. @throws CONNECTION_LOST */
async function inTime<T>(leave: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(leave, SILENCE);
  try {
    return await work();
  } catch (cause) {
    throw connectionLost('The connection failed, or was silent for too long.', cause);
  } finally {
    clearTimeout(timer);
  }
}

const isEventStream = ({ ok, headers }: Response): boolean =>
  ok && headers.get('content-type')?.startsWith('text/event-stream') === true;

async function refusalOf(response: Response, leave: () => void): Promise<FollowError> {
  const { status, headers } = response;
  const retryAfter = 1_000 * (Number(headers.get('retry-after')) || 0);
  const errors = await errorsOf(() => inTime(leave, () => response.text()));
  if (errors.length > 0) return faultOf(errors, { retryAfter });
  const message = `Expected an event stream, got HTTP ${status}.`;
  return new FollowError(codeOf(status), message, { retryAfter });
}

/** Of what is in front of Tidings and knows none of its codes. */
function codeOf(status: number): string {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 429) return 'RATE_LIMITED';
  return status >= 500 || status === 408 ? 'CONNECTION_LOST' : 'REFUSED';
}

async function errorsOf(read: () => Promise<string>): Promise<readonly GraphQLFault[]> {
  try {
    const { errors } = JSON.parse(await read());
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}
