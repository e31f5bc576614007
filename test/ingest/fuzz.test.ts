import { expect, test } from 'vitest';
import { MATERIAL, readDamaged } from './mutations.js';

/* `npm run bench -- fuzz` reads 100,000. */

const RUNS = 2_000;

test.each(Array.from({ length: 4 }, (_, part) => [part * RUNS, (part + 1) * RUNS - 1]))(
  'damaged recordings %i to %i raise nothing, and what comes of them passes the one door',
  (first, last) => {
    expect(MATERIAL.length).toBeGreaterThan(10);
    for (let seed = first; seed <= last; seed += 1) {
      try {
        readDamaged(seed);
      } catch (error) {
        throw new Error(`The recording of the seed ${seed} fails.`, { cause: error });
      }
    }
  },
);
