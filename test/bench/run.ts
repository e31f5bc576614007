/**
 * `npm run bench -- NAME [--quick]`. The figures are of this machine at this moment: compare their ratios, and only those of one run.
 * On the embedded database, or on PostgreSQL with TEST_DATABASE=postgresql.
 */
import { parseArgs } from 'node:util';
import { abuse } from './abuse.js';
import { chaos } from './chaos.js';
import { conversation } from './conversation.js';
import { crowd } from './crowd.js';
import { expiry } from './expiry.js';
import { fanout } from './fanout.js';
import { fuzz } from './fuzz.js';
import { history } from './history.js';
import type { BenchOptions } from './house.js';
import { ingest } from './ingest.js';
import { page } from './page.js';
import { pages } from './pages.js';

const benches: Readonly<Record<string, (options: BenchOptions) => Promise<void>>> = {
  page,
  pages,
  crowd,
  conversation,
  history,
  fanout,
  expiry,
  ingest,
  fuzz,
  abuse,
  chaos,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const bench = benches[positionals[0] ?? ''];
if (bench === undefined) {
  console.error(`Expected one of ${Object.keys(benches).join(', ')}: npm run bench -- NAME [--quick]`);
  process.exitCode = 1;
} else await bench({ quick: values.quick });
