import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Authority } from '../accounts/authority.js';
import { renewed } from '../accounts/operation.js';
import type { Viewer } from '../accounts/viewer.js';
import { forbidden } from '../errors.js';
import { Pulled } from '../live/pulled.js';
import type { Rendering, Renderings, View } from '../live/renderings.js';
import { Shown } from '../live/shown.js';
import type { Context } from './context.js';
import { viewOf } from './views.js';

export interface SubscribeOptions {
  readonly authority: Pick<Authority, 'watch'>;
  readonly renderings: Renderings;
  /** Executes an update, whoever waits for it. */
  readonly execute: (args: ExecutionArgs) => Promise<ExecutionResult>;
  /** A result as clients are sent it. */
  readonly serialize: (result: ExecutionResult) => Rendering;
  /** Whether the stream tells that its credential has ended; if not, whoever holds it does. */
  readonly tellsEnd: boolean;
}

/**
 * Begins a subscription and gives its updates as they are sent, or says why it does not begin. Each update is executed with nothing
 * read before it, once for all who see the same (P6). The viewer is watched (P9): a stream goes on as long as asking again would give
 * the same stream, and ends with what asking again would be answered with.
 */
export async function subscribeWatched(
  args: ExecutionArgs,
  options: SubscribeOptions,
): Promise<Pulled<Buffer> | ExecutionResult> {
  const source = await sourceOf(args);
  return source instanceof Pulled ? new WatchedView(source, args, options).begin() : source;
}

/** What a subscription field gives, or why it does not. */
async function sourceOf(args: ExecutionArgs): Promise<Pulled<unknown> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (source instanceof Pulled || !(Symbol.asyncIterator in source)) return source;
  throw new Error('A subscription field gave a stream that cannot be pulled (sub-1).');
}

/** What a source of ours follows; sources of one key are of one log, or of the same lists. */
const keyOf = (source: object): unknown => Reflect.get(source, 'key');

/** The engine makes every context, and this is what it makes. */
const contextOf = ({ contextValue }: ExecutionArgs): Context => contextValue as Context;

/** What a viewer sees of a stream, as long as it may. */
class WatchedView implements View<unknown> {
  key: string | undefined;
  changes = 0;
  readonly #source: Pulled<unknown>;
  readonly #args: ExecutionArgs;
  readonly #options: SubscribeOptions;
  #operation: Context['operation'];
  #shown: Shown<unknown> | undefined;
  /** Settles when the last change was looked into. Never rejects. */
  #checked: Promise<void> | undefined;
  #release: (() => void) | undefined;

  constructor(source: Pulled<unknown>, args: ExecutionArgs, options: SubscribeOptions) {
    this.#source = source;
    this.#args = args;
    this.#options = options;
    this.#operation = contextOf(args).operation;
    this.key = viewOf(args, this.#operation.viewer);
  }

  begin(): Pulled<Buffer> {
    const { authority, renderings, tellsEnd } = this.#options;
    this.#shown = new Shown(renderings, this.#source, this);
    this.#release = authority.watch(this.#operation.viewer, {
      changed: (viewer) => this.#onChange(viewer),
      ended: (reason) => {
        if (tellsEnd) this.#leave([asGraphQL(reason)]);
      },
    });
    return this.#shown;
  }

  closed(): void {
    this.#release?.();
  }

  settled(): Promise<void> | undefined {
    return this.#checked;
  }

  async render(rootValue: unknown): Promise<Rendering> {
    const contextValue = { ...contextOf(this.#args), operation: renewed(this.#operation) };
    return this.#options.serialize(await this.#options.execute({ ...this.#args, rootValue, contextValue }));
  }

  #onChange(viewer: Viewer): void {
    this.changes += 1;
    const change = this.changes;
    this.#checked = (this.#checked ?? Promise.resolve())
      .then(() => this.#askAgain(viewer))
      .catch((error) => this.#leave([asGraphQL(error)]))
      .then(() => {
        if (this.changes === change) this.#checked = undefined;
      });
  }

  async #askAgain(viewer: Viewer): Promise<void> {
    const operation = { ...this.#operation, viewer };
    const contextValue = { ...contextOf(this.#args), operation };
    const again = await sourceOf({ ...this.#args, contextValue });
    if (!(again instanceof Pulled)) return this.#leave(again.errors ?? []);
    await again.return();
    if (keyOf(again) !== keyOf(this.#source)) return this.#leave([asGraphQL(elsewhere())]);
    this.#operation = operation;
    this.key = viewOf(this.#args, viewer);
  }

  #leave(errors: readonly GraphQLError[]): void {
    this.#shown?.endWith(this.#options.serialize({ errors }).body);
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
