import { type Attributes, context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';

/** Says nothing unless whoever starts the process has loaded an SDK of OpenTelemetry. */
const tracer = trace.getTracer('tidings');

/** Does `work` as a span below the one that is active. Of what it throws only the fact is told, since faults quote values (P10). */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Does `work` below a span of another program, named as W3C Trace Context has it. */
export const belowRemote = <T>(traceparent: string, work: () => T): T =>
  context.with(propagation.extract(context.active(), { traceparent }), work);
