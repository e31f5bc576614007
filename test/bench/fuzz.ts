import { MATERIAL, readDamaged } from '../ingest/mutations.js';
import type { BenchOptions } from './house.js';

const ALL = 100_000;
const QUICK = 2_000;
const PARTS = 10;
const MB = 1024 * 1024;

/** Reads 100,000 damaged recordings: none may raise anything, and memory may not grow. Fails otherwise, with the seed that shows it. */
export async function fuzz({ quick }: BenchOptions): Promise<void> {
  const runs = quick ? QUICK : ALL;
  console.log(`${runs} damaged recordings of ${MATERIAL.length}`);
  const failed: number[] = [];
  for (let part = 0; part < PARTS; part += 1) {
    const [from, to] = [(runs / PARTS) * part, (runs / PARTS) * (part + 1)];
    for (let seed = from; seed < to; seed += 1) {
      try {
        readDamaged(seed);
      } catch (error) {
        failed.push(seed);
        if (failed.length < 5) console.error(`The seed ${seed} fails:`, error);
      }
    }
    // Collected where Node is started with --expose-gc.
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    console.log(`  ${to} read, ${failed.length} failed, heap ${mb(heapUsed)} MB, resident ${mb(rss)} MB`);
  }
  if (failed.length > 0) process.exitCode = 1;
}

const mb = (bytes: number): string => (bytes / MB).toFixed(0);
