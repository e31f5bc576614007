import { describe, expect, it, vi } from 'vitest';
import { defineLoader, rowByKey, rowsByKey } from '../../src/database/loaders.js';

interface Scope {
  readonly suffix: string;
}

function spied() {
  const batch = vi.fn(async (keys: readonly string[], scope: Scope) => keys.map((key) => key + scope.suffix));
  return { batch, words: defineLoader(batch) };
}

describe('a loader', () => {
  it('asks once for all keys of a turn, each key once', async () => {
    const { batch, words } = spied();
    const scope = { suffix: '!' };
    const answers = await Promise.all(['a', 'b', 'a'].map((key) => words(scope).load(key)));
    expect(answers).toEqual(['a!', 'b!', 'a!']);
    expect(batch.mock.calls).toEqual([[['a', 'b'], scope]]);
  });

  it('remembers within a scope, and knows nothing in a fresh one', async () => {
    const { batch, words } = spied();
    const scope = { suffix: '!' };
    await words(scope).load('a');
    await words(scope).load('a');
    expect(batch).toHaveBeenCalledTimes(1);
    await words({ ...scope }).load('a');
    expect(batch).toHaveBeenCalledTimes(2);
  });

  it('shares nothing between scopes of one turn', async () => {
    const { batch, words } = spied();
    const answers = await Promise.all([words({ suffix: '1' }).load('a'), words({ suffix: '2' }).load('a')]);
    expect(answers).toEqual(['a1', 'a2']);
    expect(batch).toHaveBeenCalledTimes(2);
  });

  it('fails a key alone for its own error, and all for a thrown one', async () => {
    const odd = defineLoader(async (keys: readonly number[], _scope: object) =>
      keys.map((key) => (key % 2 === 1 ? key : new Error(`${key} is even`))),
    );
    const settled = await Promise.allSettled([1, 2, 3].map((key) => odd(settledScope).load(key)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);

    const broken = defineLoader(async (_keys: readonly number[], _scope: object): Promise<number[]> => {
      throw new Error('no database');
    });
    const all = await Promise.allSettled([1, 2].map((key) => broken(settledScope).load(key)));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('takes keys that are objects, told apart by its own rule', async () => {
    const batch = vi.fn(async (keys: readonly { id: number }[], _scope: object) => keys.map(({ id }) => id));
    const byId = defineLoader(batch, { key: ({ id }) => `${id}` });
    const scope = {};
    expect(await Promise.all([byId(scope).load({ id: 1 }), byId(scope).load({ id: 1 })])).toEqual([1, 1]);
    expect(batch.mock.calls[0]?.[0]).toHaveLength(1);
  });

  it.each([
    [undefined, [1_000, 1_000, 500]],
    [2_000, [2_000, 500]],
  ])('bounds a batch (%s)', async (maxBatchSize, sizes) => {
    const batch = vi.fn(async (keys: readonly number[], _scope: object) => [...keys]);
    const same = defineLoader(batch, maxBatchSize === undefined ? {} : { maxBatchSize });
    const scope = {};
    await Promise.all(Array.from({ length: 2_500 }, (_, key) => same(scope).load(key)));
    expect(batch.mock.calls.map(([keys]) => keys.length)).toEqual(sizes);
  });
});

const settledScope = {};

describe('rows by key', () => {
  const rows = [
    { id: 'b', n: 1 },
    { id: 'a', n: 2 },
    { id: 'b', n: 3 },
    { id: 'z', n: 4 },
  ];

  it('pairs each key with its row, in the order of the keys, a repeated key too', () => {
    const found = rowByKey(['a', 'c', 'a'], rows, ({ id }) => id);
    expect(found).toEqual([{ id: 'a', n: 2 }, null, { id: 'a', n: 2 }]);
  });

  it('pairs each key with all its rows, in the order of the rows', () => {
    const found = rowsByKey(['b', 'c', 'b'], rows, ({ id }) => id);
    expect(found.map((list) => list.map(({ n }) => n))).toEqual([[1, 3], [], [1, 3]]);
  });
});
