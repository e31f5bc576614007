import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/graphql/turns.js';

const fails = () => {
  throw new Error('bad work');
};

describe('work that takes the whole process', () => {
  it('is done one a turn of the event loop', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const note = (name: string) => () => void done.push(name);
    const all = Promise.all([turns.take('a', note('1')), turns.take('a', note('2'))]);
    let between = 0;
    const other = () => {
      if (turns.size === 1) between = done.length;
      if (turns.size > 0) setImmediate(other);
    };
    other();
    expect(done).toEqual([]);
    await all;
    expect(done).toEqual(['1', '2']);
    expect(between).toBe(1);
  });

  it('is done for one after the other, however much one of them asks for', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const ask = (who: string) => turns.take(who, () => void done.push(who));
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(ask));
    expect(done.slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('lets who asked for bad work wait, and nobody else', async () => {
    const turns = new Turns();
    await expect(turns.take('bad', fails)).rejects.toThrow('bad work');
    const done: string[] = [];
    const bad = Array.from({ length: 20 }, () => turns.take('bad', () => void done.push('bad')));
    const good = Array.from({ length: 20 }, (_, i) =>
      turns.take(`good ${i % 2}`, () => void done.push('good')),
    );
    await Promise.all(good);
    expect(done.filter((who) => who === 'bad').length).toBeLessThan(10);
    await Promise.all(bad);
    expect(done).toHaveLength(40);
    expect(turns.size).toBe(0);
  });

  it('is refused when too much of it waits already', async () => {
    const turns = new Turns();
    const asked = Array.from({ length: 600 }, () => turns.take('a', () => undefined));
    const other = turns.take('b', () => 'done');
    const results = await Promise.allSettled(asked);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(100);
    expect(refused[0]).toMatchObject({ reason: { code: 'TIMEOUT' } });
    expect(await other).toBe('done');
  });
});
