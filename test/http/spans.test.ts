import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { APPEND, activity, type House, openHouse } from '../events/house.js';
import { beginUpload } from './uploads.js';

interface Told {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: object;
  failed: boolean;
  ended: boolean;
}

/** As an SDK does it that keeps spans in memory: `told` has them as they began. */
function loadSdk() {
  const told: Told[] = [];
  const active = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (scope, work, self, ...args) => active.run(scope, () => work.apply(self, args)),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  const startSpan = (name: string, { attributes = {} }: SpanOptions, scope: Context) => {
    const span: Told = {
      name,
      parent: trace.getSpanContext(scope)?.spanId,
      attributes,
      failed: false,
      ended: false,
    };
    told.push(span);
    const spanContext = {
      traceId: 'a'.repeat(32),
      spanId: String(told.length).padStart(16, '0'),
      traceFlags: 1,
    };
    return {
      spanContext: () => spanContext,
      setStatus: () => {
        span.failed = true;
      },
      end: () => {
        span.ended = true;
      },
    } as unknown as Span;
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: (name: string, options: SpanOptions = {}, scope = context.active()) =>
        startSpan(name, options, scope),
      startActiveSpan: (name: string, options: SpanOptions, work: (span: Span) => unknown) => {
        const span = startSpan(name, options, context.active());
        return context.with(trace.setSpan(context.active(), span), () => work(span));
      },
    }),
  } as never);
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ['traceparent'],
    extract: (scope, carrier) => {
      const [, traceId = '', spanId = ''] = String(Reflect.get(Object(carrier), 'traceparent')).split('-');
      return trace.setSpanContext(scope, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
  });
  return { told };
}

let house: House;
let sessionId: string;
let told: Told[];
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession();
  told = loadSdk().told;
});
afterAll(async () => {
  trace.disable();
  context.disable();
  propagation.disable();
  await house.close();
});

/** The spans that began since this was asked last; all have ended. */
function spans() {
  const begun = told.splice(0);
  expect(begun.filter(({ ended }) => !ended)).toEqual([]);
  return begun.map(({ ended: _, ...span }) => span);
}

it('an operation is a span below its caller, and its transaction one below that', async () => {
  const caller = '00f067aa0ba902b7';
  await fetch(`${house.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${house.tokens.service}`,
      traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${caller}-01`,
    },
    body: JSON.stringify({
      query: APPEND.replace('mutation', 'mutation Add'),
      variables: { input: { sessionId, events: [activity('e1')] } },
    }),
  });
  expect(spans()).toEqual([
    {
      name: 'graphql',
      parent: caller,
      attributes: { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'Add' },
      failed: false,
    },
    { name: 'transaction', parent: '1'.padStart(16, '0'), attributes: {}, failed: false },
  ]);
});

it('a query is a span, whichever way it is executed', async () => {
  await house.execute('query Who { viewer { role } }', { token: house.tokens.member });
  // The second field fails, so that graphql-js begins anew.
  await house.request('query Lost { viewer { role } session(sessionId: "none") { title } }', {
    token: house.tokens.member,
  });
  expect(spans().map(({ name, attributes }) => [name, attributes])).toEqual([
    ['graphql', { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Who' }],
    ['graphql', { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Lost' }],
  ]);
});

it('a transaction that fails says so, and not why', async () => {
  await house.request(APPEND, {
    token: house.tokens.service,
    variables: { input: { sessionId, events: [{ sessionIdle: { eventId: 'e1' } }] } },
  });
  expect(spans().map(({ name, failed }) => [name, failed])).toEqual([
    ['graphql', false],
    ['transaction', true],
  ]);
});

it('a piece of a raw stream is a span, with how many events it came to', async () => {
  const upload = beginUpload(house, sessionId, { format: 'tidings' });
  upload.send(activity('e2'), activity('e3'));
  upload.upload.end();
  await upload.answer;
  const pieces = spans().filter(({ name }) => name === 'ingest');
  expect(pieces.map(({ attributes }) => attributes)).toEqual([{ 'tidings.events': 2 }]);
});
