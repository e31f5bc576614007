import { hash } from 'node:crypto';
import type { EventInput } from '../events/content.js';
import type { IngestContext, Step } from './reducer.js';

/** 128 bits of SHA-256 over the parts, which are told apart however they are cut. Upstream ids go in, none comes out (P10). */
export const digest = (parts: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(parts), 'buffer').toString('base64url', 0, 16);

export type ResourcePrefix = 'msg' | 'act' | 'art' | 'cit' | 'que';

/** The public id of something the stream named `parts`. The same in every stream of the session that names it so. */
export function resourceId(context: IngestContext, prefix: ResourcePrefix, ...parts: unknown[]): string {
  return `${prefix}_${digest([context.format, context.sessionId, prefix, ...parts])}`;
}

/** What the stream calls something by; what has no id of its own is told apart by its run. */
export const nameOf = ({ run }: IngestContext, id?: string): readonly unknown[] => (id ? [id] : ['', run]);

/** What a failure is about: `newest` if a stream has come to something, else what it calls the failure by. */
export const aboutOf = (context: IngestContext, newest: string, name: string): string =>
  digest(newest === '' ? ['', ...nameOf(context, name)] : [newest, name]);

/** An event without its id. */
export type Emitted = EventInput extends infer Kind
  ? Kind extends EventInput
    ? Omit<Kind, 'eventId'>
    : never
  : never;

/**
 * Emits an event of the resource it is about. Its id is a hash of all it says, so the same recording again adds nothing (P3);
 * `snapshot` counts the resource's events of this kind.
 */
export function emit<State>(step: Step<State>, event: Emitted, resource: string, snapshot = 1): void {
  const { sessionId } = step.context;
  const { createdAt } = step;
  const dated = createdAt === undefined ? event : { ...event, createdAt };
  step.events.push(identified(dated, sessionId, event.kind, resource, snapshot));
}

/** An event whose id is a hash of all it says and of `parts`. */
export const identified = (event: Emitted, ...parts: unknown[]): EventInput => ({
  eventId: `evt_${digest([...parts, event])}`,
  ...event,
});

/** An event of an ending, with an id of the place where the stream ended: one that ends elsewhere, or goes on, says the same anew. */
export const endingAt = (event: EventInput, objects: number): EventInput => ({
  ...event,
  eventId: `evt_${digest([event.eventId, objects])}`,
});
