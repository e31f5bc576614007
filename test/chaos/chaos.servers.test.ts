import { describe, expect, it } from 'vitest';
import { describeChaos, runChaos } from './chaos.js';

/** `npm run bench -- chaos` takes the two minutes that a release should. */
const SECONDS = 15;

describe('two replicas whose servers are restarted, who are killed, and whose connections are cut', () => {
  it.each(['PostgreSQL', 'Redis'] as const)(
    'lose nothing that was acknowledged, and tell each subscriber each event once, in order, with %s as the bus',
    async (bus) => {
      const report = await runChaos({ bus, seconds: SECONDS });
      expect(report.faults, describeChaos(report)).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(0);
    },
    600_000,
  );
});
