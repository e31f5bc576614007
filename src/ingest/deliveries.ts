import { emit, resourceId } from './ids.js';
import { isObject, type JsonObject } from './json.js';
import {
  nameOfDelivery,
  type PublicDelivery,
  type PublicFile,
  publicDelivery,
  publicFile,
  publicTool,
} from './redaction.js';
import type { Step } from './reducer.js';
import type { ToolTitle } from './titles.js';

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

/** What the title map makes of a tool's input or an application's data, before it is told. */
export type ConfiguredDelivery = PublicDelivery & { readonly artifactId: string };

/**
 * What a tool with this input, or data of this name, delivers by the title map; undefined if nothing. `key`: what the stream calls it by,
 * where the map names no id in it. Of the same name and id it is the same thing, delivered again.
 */
export function configuredDelivery(
  step: Step<unknown>,
  { delivers }: Pick<ToolTitle, 'delivers'>,
  data: JsonObject,
  ...key: unknown[]
): ConfiguredDelivery | undefined {
  if (delivers === undefined) return undefined;
  const name = nameOfDelivery(delivers, data);
  const named = name === undefined ? ['', ...key] : [name];
  const artifactId = resourceId(step.context, 'art', 'configured', delivers.kind, ...named);
  return { artifactId, ...publicDelivery(delivers, data, 1) };
}

/** Tells of one. Told before with the same content, it is a duplicate. */
export function deliverConfigured(step: Step<unknown>, delivery: ConfiguredDelivery): void {
  const { artifactId } = delivery;
  if ('filename' in delivery) emit(step, { kind: 'artifacts_delivered', artifacts: [delivery] }, artifactId);
  else emit(step, { kind: 'delivered_outputs', deliveredOutputs: [delivery] }, artifactId);
}

/** Delivers data of this name at once, if the title map has it; whether it has. `key` as above. */
export function deliverData(step: Step<unknown>, name: string, data: unknown, ...key: unknown[]): boolean {
  const tool = publicTool(step.context.titles, name);
  const delivery = configuredDelivery(step, tool, isObject(data) ? data : {}, name, ...key);
  if (delivery !== undefined) deliverConfigured(step, delivery);
  return delivery !== undefined;
}

/** As many as one event holds. */
const MAX_FILES = 500;

/** Tells of the files that came with `resource`, in as few events as hold them. */
export function deliver(step: Step<unknown>, deliveries: readonly Delivery[], resource: string): void {
  for (let from = 0; from < deliveries.length; from += MAX_FILES) {
    const artifacts = deliveries.slice(from, from + MAX_FILES);
    emit(step, { kind: 'artifacts_delivered', artifacts }, resource, 1 + from / MAX_FILES);
  }
}
