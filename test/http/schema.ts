import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { badUserInput, notFound } from '../../src/errors.js';
import { Pulled } from '../../src/live/pulled.js';

interface CountArgs {
  readonly to: number;
  readonly bytes: number;
  readonly stays: boolean;
}

/** What became of the subscriptions, and of what waits or writes. */
export class Streams {
  /** Begun and not yet let go. */
  open = 0;
  /** Updates that were asked for, of all. */
  pulled = 0;
  /** Mutations that ran. */
  touched = 0;
  /** Answers of a certain size that were made. */
  padded = 0;
  /** Lets the queries answer that wait; each adds itself. */
  readonly waiting: (() => void)[] = [];
}

/** Gives numbers up to `to`, each with as many bytes of padding; then it ends, or stays open in silence. */
class Counter extends Pulled<number> {
  #at = 0;

  constructor(
    readonly streams: Streams,
    readonly args: CountArgs,
  ) {
    super();
  }

  protected onPull(): void {
    this.streams.pulled += 1;
    if (this.#at === 0) this.streams.open += 1;
    this.#at += 1;
    if (this.#at <= this.args.to) this.give(this.#at);
    else if (!this.args.stays) this.end();
  }

  protected onEnd(): void {
    if (this.#at > 0) this.streams.open -= 1;
  }
}

const reject = (error: Error) => () => {
  throw error;
};

/** Refuses every value, in our own words. */
const picky = new GraphQLScalarType({
  name: 'Picky',
  parseValue: reject(badUserInput('Picky: expected something else.')),
});

/** A schema in which every kind of answer can be had. */
export function answersOfEveryKind(streams: Streams): GraphQLSchema {
  const query: GraphQLObjectType = new GraphQLObjectType({
    name: 'Query',
    fields: () => ({
      picky: { type: GraphQLString, args: { value: { type: picky } }, resolve: () => 'taken' },
      self: { type: query, resolve: () => ({}) },
      number: { type: GraphQLInt, args: { value: { type: GraphQLInt } }, resolve: (_, { value }) => value },
      hello: {
        type: GraphQLString,
        args: { name: { type: GraphQLString, defaultValue: 'you' } },
        resolve: (_, { name }: { name: string }) => `Hello ${name}`,
      },
      soon: { type: GraphQLString, resolve: () => new Promise((resolve) => setImmediate(resolve, 'soon')) },
      waits: {
        type: GraphQLString,
        resolve: () => new Promise((resolve) => streams.waiting.push(() => resolve('done'))),
      },
      padded: {
        type: GraphQLString,
        args: { bytes: { type: new GraphQLNonNull(GraphQLInt) } },
        resolve: (_, { bytes }: { bytes: number }) => {
          streams.padded += 1;
          return 'x'.repeat(bytes);
        },
      },
      refused: { type: GraphQLString, resolve: reject(notFound('Nothing has that id.')) },
      broken: { type: GraphQLString, resolve: reject(new Error('SELECT secret FROM /etc/passwd')) },
    }),
  });
  const mutation = new GraphQLObjectType({
    name: 'Mutation',
    fields: {
      touch: {
        type: GraphQLInt,
        resolve: () => {
          streams.touched += 1;
          return 1;
        },
      },
    },
  });
  const count = new GraphQLObjectType<{ number: number; padding: string }>({
    name: 'Count',
    fields: {
      number: { type: new GraphQLNonNull(GraphQLInt) },
      padding: { type: new GraphQLNonNull(GraphQLString) },
      /** Fails for the third. */
      notThree: {
        type: GraphQLInt,
        resolve: ({ number }) => (number === 3 ? reject(new Error('secret of three'))() : number),
      },
    },
  });
  const subscription = new GraphQLObjectType({
    name: 'Subscription',
    fields: {
      count: {
        type: count,
        args: {
          to: { type: new GraphQLNonNull(GraphQLInt) },
          bytes: { type: GraphQLInt, defaultValue: 0 },
          stays: { type: GraphQLBoolean, defaultValue: false },
        },
        subscribe: (_, args: CountArgs) => new Counter(streams, args),
        resolve: (number: number, { bytes }: CountArgs) => ({ number, padding: 'x'.repeat(bytes) }),
      },
      late: {
        type: GraphQLInt,
        subscribe: () =>
          new Promise((resolve) =>
            streams.waiting.push(() => resolve(new Counter(streams, { to: 0, bytes: 0, stays: true }))),
          ),
        resolve: (number: number) => number,
      },
      refused: { type: GraphQLInt, subscribe: reject(notFound('Nothing to follow.')) },
    },
  });
  return new GraphQLSchema({ query, mutation, subscription });
}
