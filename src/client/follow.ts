import { Follower, type Following, type Update } from './follower.js';
import type { Options, TypedOptions } from './options.js';

export type { TypedDocument } from './document.js';
export { FollowError, type GraphQLFault } from './fault.js';
export type { Following, Update } from './follower.js';
export type { FollowState } from './options.js';
export type { WebSocketConstructor, WebSocketLike } from './web-socket.js';

/** What the one field of a subscription gives. */
type UpdateOf<Data> = NonNullable<Data[Exclude<keyof Data, '__typename'>]>;

/**
 * Follows a log: `sessionEvents`, `elicitationChanges`, `conversationEntries`, or any other subscription to one field that takes
 * `after` and gives `checkpoint`. Connects when the first update is asked for, and whatever breaks again, from where it was.
 * @throws FollowError BAD_DOCUMENT for a document that could not be gone on with.
 */
export function follow<Data, Variables>(options: TypedOptions<Data, Variables>): Following<UpdateOf<Data>>;
export function follow<U extends Update = Update>(
  options: Options & { readonly query: string },
): Following<U>;
export function follow(options: Options): Following<Update> {
  return new Follower(options);
}
