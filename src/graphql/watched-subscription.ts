import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql';
import type { Authority } from '../accounts/authority.js';
import type { Viewer } from '../accounts/viewer.js';
import { forbidden } from '../errors.js';
import type { Context } from './context.js';

export interface WatchOptions {
  readonly authority: Pick<Authority, 'watch'>;
  /** Whether the stream tells that its credential has ended; if not, whoever holds it does. */
  readonly tellsEnd: boolean;
}

/**
 * graphql-js's `subscribe`, with its viewer watched (P9): a stream goes on as long as asking again would give the same stream, and ends
 * with what asking again would be answered with.
 */
export async function subscribeWatched(
  args: ExecutionArgs,
  options: WatchOptions,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  return isStream(source) ? new WatchedStream(source, args, options) : source;
}

type Source = AsyncIterable<unknown>;

const isStream = (source: Source | ExecutionResult): source is Source => Symbol.asyncIterator in source;

/** What a source of ours follows; sources of one key are of one log, or of the same lists. */
const keyOf = (source: Source): unknown => Reflect.get(source, 'key');

/** The engine makes every context, and this is what it makes. */
const contextOf = ({ contextValue }: ExecutionArgs): Context => contextValue as Context;

const DONE = { done: true, value: undefined } as const;

class WatchedStream implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #source: Source;
  readonly #updates: AsyncIterator<unknown>;
  readonly #args: ExecutionArgs;
  readonly #release: () => void;
  /** Counts changes of its viewer. */
  #changes = 0;
  /** Settles when the last change was looked into. Never rejects. */
  #checked: Promise<void> = Promise.resolve();
  /** What it ends with, once that is known. */
  #farewell: ExecutionResult | undefined;

  constructor(source: Source, args: ExecutionArgs, { authority, tellsEnd }: WatchOptions) {
    this.#source = source;
    this.#updates = source[Symbol.asyncIterator]();
    this.#args = args;
    this.#release = authority.watch(contextOf(args).operation.viewer, {
      changed: (viewer) => this.#onChange(viewer),
      ended: (reason) => {
        if (tellsEnd) this.#leave([asGraphQL(reason)]);
      },
    });
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    try {
      const { done, value } = await this.#updates.next();
      const shown = done ? undefined : await this.#show(value);
      return shown === undefined ? this.#sayFarewell() : { done: false, value: shown };
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#release();
    this.#farewell = undefined;
    await this.#updates.return?.();
    return DONE;
  }

  async throw(error: unknown): Promise<IteratorResult<ExecutionResult, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** As the viewer sees it who is there when it is finished; undefined when the stream has ended meanwhile. */
  async #show(rootValue: unknown): Promise<ExecutionResult | undefined> {
    for (;;) {
      await this.#checked;
      if (this.#farewell !== undefined) return undefined;
      const before = this.#changes;
      const result = await execute({ ...this.#args, rootValue });
      if (this.#changes === before && this.#farewell === undefined) return result;
    }
  }

  #sayFarewell(): IteratorResult<ExecutionResult, undefined> {
    this.#release();
    const farewell = this.#farewell;
    this.#farewell = undefined;
    return farewell === undefined ? DONE : { done: false, value: farewell };
  }

  #onChange(viewer: Viewer): void {
    this.#changes += 1;
    this.#checked = this.#checked
      .then(() => this.#askAgain(viewer))
      .catch((error) => this.#leave([asGraphQL(error)]));
  }

  async #askAgain(viewer: Viewer): Promise<void> {
    const context = contextOf(this.#args);
    const operation = { ...context.operation, viewer };
    const again = await createSourceEventStream({ ...this.#args, contextValue: { ...context, operation } });
    if (!isStream(again)) return this.#leave(again.errors ?? []);
    await again[Symbol.asyncIterator]().return?.();
    if (keyOf(again) !== keyOf(this.#source)) return this.#leave([asGraphQL(elsewhere())]);
    context.operation = operation;
  }

  /** The source's pending call is then done, and what waits for it says farewell. */
  #leave(errors: readonly GraphQLError[]): void {
    this.#release();
    this.#farewell ??= { errors };
    void this.#updates.return?.();
  }
}

const elsewhere = () =>
  forbidden(
    'Your role or organisation has changed, and with it what this subscription would tell of. Subscribe again.',
  );

const asGraphQL = (error: unknown): GraphQLError =>
  new GraphQLError('A subscription ended.', {
    originalError: error instanceof Error ? error : new Error(String(error)),
  });
