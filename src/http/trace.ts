import { AsyncLocalStorage } from 'node:async_hooks';
import { belowRemote } from '../spans.js';

/** Whose doing a request is, as its caller names it (W3C Trace Context), by the names that log lines have for it. */
interface Trace {
  readonly trace_id: string;
  readonly span_id: string;
}

/** A later version may have more after it; this one has not. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const NOTHING = /^0+$/;

/** Costs nothing until a request with a trace has come: only then does Node follow who calls whom. */
const traces = new AsyncLocalStorage<Trace>();

/** Does `work` so that the log lines of all that it begins name the trace; one that is none is as good as absent. */
export function inTrace<T>(traceparent: unknown, work: () => T): T {
  const trace = typeof traceparent === 'string' ? parseTrace(traceparent) : undefined;
  return trace === undefined ? work() : traces.run(trace, () => belowRemote(String(traceparent), work));
}

/** What a log line says of the trace in which it is written. */
export const traceFields = (): object => traces.getStore() ?? {};

function parseTrace(traceparent: string): Trace | undefined {
  const [, version, trace_id = '', span_id = '', more] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  if (version === undefined || NOTHING.test(trace_id) || NOTHING.test(span_id)) return undefined;
  return version === '00' && more !== undefined ? undefined : { trace_id, span_id };
}
