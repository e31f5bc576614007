import { emit, resourceId } from './ids.js';
import type { JsonObject } from './json.js';
import { type PublicFile, publicFile } from './redaction.js';
import type { Step } from './reducer.js';

/** A file that the agent delivers, before it is told. */
export interface Delivery extends PublicFile {
  readonly artifactId: string;
  readonly kind: 'AGENT_DELIVERED_FILE';
}

/** `file`: what the stream says of it. `ordinal` names it if it came without a name. `key`: what the stream calls it by. */
export const deliveryOf = (
  step: Step<unknown>,
  file: JsonObject,
  ordinal: number,
  ...key: unknown[]
): Delivery => ({
  artifactId: resourceId(step.context, 'art', ...key),
  kind: 'AGENT_DELIVERED_FILE',
  ...publicFile(file, ordinal),
});

/** As many as one event holds. */
const MAX_FILES = 500;

/** Tells of the files that came with `resource`, in as few events as hold them. */
export function deliver(step: Step<unknown>, deliveries: readonly Delivery[], resource: string): void {
  for (let from = 0; from < deliveries.length; from += MAX_FILES) {
    const artifacts = deliveries.slice(from, from + MAX_FILES);
    emit(step, { kind: 'artifacts_delivered', artifacts }, resource, 1 + from / MAX_FILES);
  }
}
