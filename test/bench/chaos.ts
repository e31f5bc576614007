import { describeChaos, runChaos } from '../chaos/chaos.js';
import type { BenchOptions } from './house.js';

/** Two minutes of what test/chaos does in seconds, on servers of its own, with each bus; fails if anybody misses anything. */
export async function chaos({ quick }: BenchOptions): Promise<void> {
  for (const bus of ['PostgreSQL', 'Redis'] as const) {
    const report = await runChaos({ bus, seconds: quick ? 20 : 120 });
    console.log(`${bus} as the bus: ${describeChaos(report)}`);
    if (report.faults.length > 0) process.exitCode = 1;
  }
}
