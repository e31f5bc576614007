import { randomUUID } from 'node:crypto';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  graphql,
  parse,
} from 'graphql';
import { expect } from 'vitest';
import { authenticate } from '../src/accounts/authenticate.js';
import { type Operation, renewed } from '../src/accounts/operation.js';
import { type CreateTokenInput, createToken } from '../src/accounts/tokens.js';
import type { Database } from '../src/database/database.js';
import { transact } from '../src/database/transact.js';
import { builder } from '../src/graphql/builder.js';
import { toGraphQLError } from '../src/graphql/errors.js';
import { InProcessBus } from '../src/live/in-process-bus.js';
import { Tails } from '../src/live/tails.js';
import { insertSession } from '../src/sessions/creation.js';
import '../src/graphql/nodes.js';
import '../src/credentials/fields.js';
import '../src/sessions/fields.js';

const schema = builder.toSchema();

const fail = (error: unknown): never => {
  throw error;
};

export interface Answer {
  // What a document asks for is for its test to say.
  readonly data: Record<string, unknown>;
  /** Of each error, its code and what it says. */
  readonly errors: readonly { readonly code: unknown; readonly message: string; readonly path: string }[];
}

export interface Graph {
  readonly database: Database;
  readonly bus: InProcessBus;
  /** An operation of whoever holds the secret, for calling actions and loaders as they are. */
  operationOf(secret: string): Promise<Operation>;
  ask(secret: string, document: string, variables?: Record<string, unknown>): Promise<Answer>;
  /** The same when nothing must fail: the data. */
  read(secret: string, document: string, variables?: Record<string, unknown>): Promise<Answer['data']>;
  follow(secret: string, document: string): Promise<AsyncIterableIterator<Answer>>;
  /** A credential's secret. */
  token(input: CreateTokenInput): Promise<string>;
  /** A new session of the secret's account; its id. */
  session(secret: string, title?: string): Promise<string>;
}

/** People, credentials and sessions as the API shows them, over a database and without a server. */
export function graphOver(database: Database): Graph {
  const bus = new InProcessBus(fail);
  const tails = new Tails({ bus, onError: fail });
  const operationOf = async (secret: string): Promise<Operation> => ({
    viewer: await authenticate(database, secret),
    database,
    bus,
    tails,
    maxAnswer: 32 * 1024 * 1024,
  });
  const contextOf = async (secret: string) => ({
    operation: await operationOf(secret),
    publicUrl: 'http://tidings.test',
  });
  const ask: Graph['ask'] = async (secret, source, variableValues) =>
    answer(await graphql({ schema, source, variableValues, contextValue: await contextOf(secret) }));
  return {
    database,
    bus,
    operationOf,
    ask,
    async read(...request) {
      const { data, errors } = await ask(...request);
      expect(errors).toEqual([]);
      return data;
    },
    async follow(secret, source) {
      const contextValue = await contextOf(secret);
      const args = { schema, document: parse(source), contextValue };
      const updates = await createSourceEventStream(args);
      return Symbol.asyncIterator in updates ? answers(updates, args) : one(answer(updates));
    },
    token: async (input) => (await createToken(database, input)).secret,
    async session(secret, title = 'A session') {
      const { viewer } = await operationOf(secret);
      const id = randomUUID();
      const creation = { id, title, creationHash: Buffer.from(title) };
      await transact(database, (tx) => insertSession(tx, viewer, creation));
      return id;
    },
  };
}

function answer({ data, errors = [] }: ExecutionResult): Answer {
  return {
    data: data ?? {},
    errors: errors.map((error) => {
      const shown = toGraphQLError(error, (report) => fail(report.error));
      return {
        code: shown.extensions.code,
        message: shown.message,
        path: shown.path?.join('.') ?? '',
        ...('current' in shown.extensions ? { current: shown.extensions.current } : {}),
      };
    }),
  };
}

async function* one(value: Answer) {
  yield value;
}

/** Each update is read afresh. Not a generator: its `return()` would wait for the update that is awaited. */
function answers(
  updates: AsyncIterable<unknown>,
  args: ExecutionArgs & { readonly contextValue: { readonly operation: Operation } },
): AsyncIterableIterator<Answer> {
  const stream = updates[Symbol.asyncIterator]();
  const shown = async ({ done, value }: IteratorResult<unknown>): Promise<IteratorResult<Answer>> => {
    if (done) return { done: true, value: undefined };
    const contextValue = { ...args.contextValue, operation: renewed(args.contextValue.operation) };
    return { done: false, value: answer(await execute({ ...args, rootValue: value, contextValue })) };
  };
  const iterator: AsyncIterableIterator<Answer> = {
    next: async () => shown(await stream.next()),
    return: async () => shown((await stream.return?.()) ?? { done: true, value: undefined }),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
