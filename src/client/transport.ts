import type { GraphQLFault } from './fault.js';

/** A GraphQL result, as it came. */
export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly GraphQLFault[];
}

/** One connection. */
export interface Connection {
  readonly url: URL;
  readonly authorization: string | undefined;
  /** What is asked for as of now: going on from what was taken last. */
  readonly request: () => { readonly query: string; readonly variables: object };
  /** Aborted when nobody wants more. */
  readonly signal: AbortSignal;
}

/** Gives results until nobody wants more; @throws FollowError when the connection ends before. */
export type Transport = (connection: Connection) => AsyncGenerator<Result, void>;
