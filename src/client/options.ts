import type { TypedDocument } from './document.js';
import type { FollowError } from './fault.js';
import type { WebSocketConstructor } from './web-socket.js';

/** What it does just now. */
export type FollowState =
  | { readonly is: 'connecting' }
  /** The first update of this connection has come. */
  | { readonly is: 'following' }
  /** It tries again in so many ms. */
  | { readonly is: 'waiting'; readonly ms: number; readonly because: FollowError }
  | { readonly is: 'ended'; readonly because?: FollowError };

/** How something is followed, whatever it is. */
export interface Settings {
  /** Where GraphQL is, such as `https://example.org/graphql`; in a browser `/graphql` will do. */
  readonly url: string;
  /** The secret of a credential, or what gives one: asked before each connection, so that it may be renewed. */
  readonly token?: string | (() => string | Promise<string>);
  /** WebSocket unless it says otherwise. */
  readonly transport?: 'ws' | 'sse';
  /** Aborting it is the same as `return()`. */
  readonly signal?: AbortSignal;
  readonly onState?: (state: FollowState) => void;
  /** The longest wait before another try, in ms; 30 s by default. What a server asks for is waited for all the same. */
  readonly longestWait?: number;
  /** How many updates may wait to be taken, over WebSocket; 64 by default. */
  readonly buffer?: number;
  /** Where there is none, as in Node 20, or another is wanted. */
  readonly webSocket?: WebSocketConstructor;
  readonly fetch?: typeof globalThis.fetch;
}

/** Left out where none is required. The variable that is the field's `after` says where to begin. */
type Given<Variables> =
  Record<never, never> extends Variables
    ? { readonly variables?: Variables }
    : { readonly variables: Variables };

/** With a document that knows its types. */
export type TypedOptions<Data, Variables> = Settings &
  Given<Variables> & { readonly query: TypedDocument<Data, Variables> };

/** With a document of which only the caller knows what it gives. */
export interface Options extends Settings {
  readonly query: string | object;
  readonly variables?: object;
}
