import type { ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Draining } from './draining.js';
import { formatResult } from './format.js';
import { acceptsEventStream } from './media-types.js';

/** How often, in ms, a silent stream says that it is alive; proxies cut silent connections after 60 s and more. */
const PING_INTERVAL = 12_000;

/** How long, in ms, a reader whose credential has ended may take to read that. */
const GOODBYE = 2_000;

type Updates = AsyncIterableIterator<ExecutionResult>;

/**
 * The updates behind a `Response` that stands for a stream. The engine's own stream is not used: it buffers between a slow reader
 * and its position (P5), and learns late that the reader has gone.
 */
const updatesOf = new WeakMap<Response, Updates>();

export const streamBehind = (response: Response): Updates | undefined => updatesOf.get(response);

/**
 * A subscription over HTTP begins only for who asks for an event stream by name. Its result then becomes an empty `Response`, and
 * `streamBehind` has its updates.
 */
export const streamingPlugin: Plugin = {
  onSubscribe({ args, setResultAndStopExecution }) {
    const request = requestOf(args);
    if (request === undefined || acceptsEventStream(request.headers.get('accept'))) return;
    setResultAndStopExecution({ errors: [notAStream()] });
  },
  onResultProcess({ result, setResultProcessor }) {
    if (!isUpdates(result)) return;
    setResultProcessor((_, { Response }) => {
      const response = new Response(null, { status: 200 });
      updatesOf.set(response, result);
      return response;
    }, 'text/event-stream');
  },
};

/** The HTTP request that a subscription came by; over WebSocket there is none. */
export const requestOf = ({ contextValue }: { readonly contextValue?: unknown }): Request | undefined =>
  (contextValue as { readonly request?: Request }).request;

const notAStream = () =>
  new GraphQLError(
    'accept: expected text/event-stream for a subscription, got a request for a single answer. Ask for it, or use WebSocket.',
    { extensions: { code: 'BAD_USER_INPUT', http: { status: 406 } } },
  );

const isUpdates = (result: unknown): result is Updates =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result && 'next' in result;

/**
 * Writes updates as server-sent events (graphql-sse, distinct connections) until they end, the reader leaves or the server lets it go.
 * The next update is asked for when the last one has gone out: a slow reader waits, nothing queues (P5).
 */
export async function writeEventStream(
  updates: Updates,
  res: ServerResponse,
  draining: Draining,
  onCredentialEnd: (ended: () => void) => () => void,
): Promise<void> {
  // Begun too late: nobody would tell any more that the reader has left.
  if (res.destroyed || draining.hasBegun) {
    res.destroy();
    await updates.return?.();
    return;
  }
  const leave = () => void updates.return?.();
  // Cut, not completed: a client that was cut comes back and goes on where it was.
  const release = draining.onTurn(() => res.destroy());
  let cut: NodeJS.Timeout | undefined;
  // Told why by the last update, which one that does not read would never take.
  const unwatch = onCredentialEnd(() => {
    cut = setTimeout(() => res.destroy(), GOODBYE);
  });
  res.once('close', leave);
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  // Some clients report an open stream only when its first byte has come.
  res.write(':\n\n');
  const ping = setInterval(() => {
    if (!res.writableNeedDrain) res.write(':\n\n');
  }, PING_INTERVAL);
  try {
    for await (const update of updates) {
      if (res.destroyed) return;
      if (!res.write(`event: next\ndata: ${JSON.stringify(formatResult(update))}\n\n`)) await drained(res);
    }
    res.end('event: complete\ndata:\n\n');
  } finally {
    clearInterval(ping);
    clearTimeout(cut);
    unwatch();
    res.off('close', leave);
    release();
  }
}

/** Waits until the reader has read, or has gone. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle);
      res.off('close', settle);
      resolve();
    };
    res.once('drain', settle);
    res.once('close', settle);
  });
}
