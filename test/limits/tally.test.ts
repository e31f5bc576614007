import { expect, it } from 'vitest';
import { Tally } from '../../src/limits/tally.js';

it('a tally lets each hold so many at a time, and counts what is given back once', () => {
  const tally = new Tally('an address', 2);
  const [first, second] = [tally.claim('a'), tally.claim('a')];
  expect(() => tally.claim('a')).toThrow('Expected at most 2 open streams from an address.');
  const other = tally.claim('b');
  expect(tally.size).toBe(3);
  first();
  first();
  const third = tally.claim('a');
  expect(() => tally.claim('a')).toThrow();
  for (const release of [second, third, other]) release();
  expect(tally.size).toBe(0);
});
