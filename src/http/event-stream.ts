import type { ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Pulled } from '../live/pulled.js';
import type { Draining } from './draining.js';
import { acceptsEventStream } from './media-types.js';

/** A subscription's updates, each as the JSON that clients are sent. */
type Bodies = Pulled<Buffer>;

/** How often, in ms, a silent stream says that it is alive; proxies cut silent connections after 60 s and more. */
const PING_INTERVAL = 12_000;

/** How long, in ms, a reader whose credential has ended may take to read that. */
const GOODBYE = 2_000;

/**
 * The bodies behind a `Response` that stands for a stream. The engine's own stream is not used: it buffers between a slow reader
 * and its position (P5), and learns late that the reader has gone.
 */
const bodiesOf = new WeakMap<Response, Bodies>();

export const streamBehind = (response: Response): Bodies | undefined => bodiesOf.get(response);

/**
 * A subscription over HTTP begins only for who asks for an event stream by name. Its result then becomes an empty `Response`, and
 * `streamBehind` has its bodies.
 */
export function streaming(begin: (args: ExecutionArgs) => Promise<ExecutionResult | Bodies>): Plugin {
  const begun = new WeakMap<Request, Bodies>();
  return {
    onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
      const { request }: { readonly request: Request } = args.contextValue;
      if (!acceptsEventStream(request.headers.get('accept'))) {
        setResultAndStopExecution({ errors: [notAStream()] });
        return;
      }
      setSubscribeFn(async (subscribing: ExecutionArgs) => {
        const result = await begin(subscribing);
        if (result instanceof Pulled) begun.set(request, result);
        return result;
      });
    },
    onResultProcess({ request, setResultProcessor }) {
      const bodies = begun.get(request);
      if (bodies === undefined) return;
      setResultProcessor((_, { Response }) => {
        const response = new Response(null, { status: 200 });
        bodiesOf.set(response, bodies);
        return response;
      }, 'text/event-stream');
    },
  };
}

const notAStream = () =>
  new GraphQLError(
    'accept: expected text/event-stream for a subscription, got a request for a single answer. Ask for it, or use WebSocket.',
    { extensions: { code: 'BAD_USER_INPUT', http: { status: 406 } } },
  );

const BEFORE = Buffer.from('event: next\ndata: ');
const AFTER = Buffer.from('\n\n');

/**
 * Writes bodies as server-sent events (graphql-sse, distinct connections) until they end, the reader leaves or the server lets it go.
 * The next update is asked for when the last one has gone out: a slow reader waits, nothing queues (P5).
 */
export async function writeEventStream(
  bodies: Bodies,
  res: ServerResponse,
  draining: Draining,
  onCredentialEnd: (ended: () => void) => () => void,
): Promise<void> {
  // Begun too late: nobody would tell any more that the reader has left.
  if (res.destroyed || draining.hasBegun) {
    res.destroy();
    await bodies.return();
    return;
  }
  const leave = () => void bodies.return();
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
    for await (const body of bodies) {
      if (res.destroyed) return;
      if (!res.write(Buffer.concat([BEFORE, body, AFTER]))) await drained(res);
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
