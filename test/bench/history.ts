import { createAccount } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import type { Operation } from '../../src/accounts/operation.js';
import { createToken } from '../../src/accounts/tokens.js';
import { readConfig } from '../../src/config.js';
import { elicitationHistory } from '../../src/elicitations/history.js';
import { startGateway } from '../../src/gateway.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type BenchOptions, median } from './house.js';

const ROWS = 1_000_000;
const QUICK_ROWS = 50_000;
const ACCOUNTS = 10;
const PAGE_SIZE = 25;

/**
 * What a page of an organisation's history costs at each depth, its total included, beside the same page by OFFSET and COUNT(*) over an
 * ordinary index. Both through the same connections, in turns, in one run; on PostgreSQL.
 */
export async function history({ quick }: BenchOptions): Promise<void> {
  process.env.TEST_DATABASE ??= 'postgresql';
  const rows = quick ? QUICK_ROWS : ROWS;
  const database = await openTestDatabase();
  const config = readConfig({
    PORT: '0',
    TIDINGS_DEMO: 'off',
    RATE_LIMIT: 'off',
    TIDINGS_ADDRESS_STREAMS: '100000',
    TIDINGS_CREDENTIAL_STREAMS: '100000',
    LOG_LEVEL: 'error',
  });
  const gateway = await startGateway(config, { database });
  try {
    const operation = await fill(database, gateway.means, rows);
    const last = Math.ceil(rows / PAGE_SIZE);
    const pages = [1, Math.ceil(last / 2), last];
    const ours = new Map<number, number[]>();
    const peer = new Map<number, number[]>();
    for (let round = 0; round <= (quick ? 3 : 15); round++) {
      for (const page of pages) {
        const mine = await time(() => ourPage(operation, page));
        // COUNT(*) over a million rows is no matter of a just-in-time compiler: a third of the rounds tells.
        const theirs = round % 3 === 0 ? await time(() => offsetPage(database, operation, page)) : undefined;
        if (round === 0) continue;
        ours.set(page, [...(ours.get(page) ?? []), mine]);
        if (theirs !== undefined) peer.set(page, [...(peer.get(page) ?? []), theirs]);
      }
    }
    report(rows, pages, (page) => [median(ours.get(page) ?? []), median(peer.get(page) ?? [])]);
  } finally {
    await gateway.close();
  }
}

/** An organisation with as many elicitations, a minute apart, asked of its accounts in turn; gives its admin. */
async function fill(
  database: TestDatabase,
  means: Omit<Operation, 'viewer'>,
  rows: number,
): Promise<Operation> {
  const accounts: string[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const account = { name: `Bench ${n}`, organization: 'Bench', role: 'ADMIN' } as const;
    accounts.push((await createAccount(database, account)).id);
  }
  const { secret } = await createToken(database, { kind: 'PERSONAL', accountId: accounts[0] ?? '' });
  const viewer = await authenticate(database, secret);
  const organization = viewer.organizationId;
  const { prisma } = database;
  await prisma.$executeRaw`
    INSERT INTO elicitation (id, account_id, organization_id, account_number, organization_number, requested_by_id,
      asker_id, content_hash, message, status, created_at)
    SELECT gen_random_uuid(), (${accounts}::uuid[])[1 + n % ${ACCOUNTS}::int], ${organization}::uuid,
      n / ${ACCOUNTS}::int + 1, n + 1, ${viewer.credentialId}::uuid, ${organization}::uuid, '',
      'Deploy build ' || n || ' to production?', 'CANCELED', timestamptz '2020-01-01' + n * interval '1 minute'
    FROM generate_series(0, ${rows}::int - 1) AS n`;
  await prisma.$executeRaw`
    INSERT INTO elicitation_head (scope_id, head, last_created_at, change_head)
    SELECT organization_id, count(*), max(created_at), 0 FROM elicitation GROUP BY organization_id`;
  await prisma.$executeRaw`CREATE INDEX ordinary ON elicitation (organization_id, created_at, id)`;
  // VACUUM cannot run in a transaction, and has COUNT(*) read the index alone: the peer at its best.
  await database.pool.query('VACUUM ANALYZE elicitation');
  return { ...means, viewer };
}

async function ourPage(operation: Operation, page: number): Promise<number> {
  const read = await elicitationHistory(
    { ...operation },
    { scope: 'ORG', page, pageSize: PAGE_SIZE, asOf: undefined },
  );
  return (await read.items()).length + read.total;
}

/** What an API by OFFSET does: count, then skip. */
async function offsetPage({ prisma }: TestDatabase, { viewer }: Operation, page: number): Promise<number> {
  const scope = viewer.organizationId;
  const [counted] = await prisma.$queryRaw<[{ total: number }]>`
    SELECT count(*)::int AS total FROM elicitation WHERE organization_id = ${scope}::uuid AND created_at <= now()`;
  const items = await prisma.$queryRaw<unknown[]>`
    SELECT id, message, status::text, created_at, decided_at, expires_at, consumed_at, canceled_at FROM elicitation
    WHERE organization_id = ${scope}::uuid AND created_at <= now()
    ORDER BY created_at DESC, id DESC LIMIT ${PAGE_SIZE}::int OFFSET ${(page - 1) * PAGE_SIZE}::int`;
  return items.length + counted.total;
}

/** Milliseconds of what must give a full page and the total of everything. */
async function time(read: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  const seen = await read();
  if (seen <= PAGE_SIZE) throw new Error(`Expected a page and the total, got ${seen}.`);
  return performance.now() - begun;
}

function report(
  rows: number,
  pages: readonly number[],
  of: (page: number) => readonly [number, number],
): void {
  const ms = (value: number) => `${value.toFixed(2)} ms`.padStart(11);
  console.log(
    `${rows.toLocaleString('en')} elicitations in one organisation, pages of ${PAGE_SIZE} with their total, PostgreSQL`,
  );
  console.log('  page          here  OFFSET + COUNT(*)  ratio');
  for (const page of pages) {
    const [mine, theirs] = of(page);
    console.log(
      `  ${String(page).padStart(6)}${ms(mine)}${ms(theirs).padStart(19)}  ${(theirs / mine).toFixed(0).padStart(5)}`,
    );
  }
  const [first = 0, last = 0] = [pages.at(0), pages.at(-1)].map((page) => of(page ?? 0)[0]);
  console.log(`  last / first  ${(last / first).toFixed(2)}`);
}
