import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { lockAccount, lockPlace, type Place } from '../../src/accounts/locks.js';
import type { Operation } from '../../src/accounts/operation.js';
import type { Database, Transaction } from '../../src/database/database.js';
import { transact } from '../../src/database/transact.js';
import { elicitationHistory } from '../../src/elicitations/history.js';
import { insertElicitation, type Numbers, nextNumbers } from '../../src/elicitations/record-store.js';
import { readScopeHead } from '../../src/elicitations/scope-store.js';
import { openRoom, present, type Room, type Who } from './room.js';

/** Walks through the whole history, from its first page to the end, while others write. */
const WALKS = 2_000;
const WRITERS = 8;
const READERS = 6;
/** Enough for some pages; the writers spread them over all of the walks. */
const ROWS_OF_A_WRITER = 60;

let room: Room;
beforeAll(async () => {
  room = await openRoom();
}, 120_000);
afterAll(() => room?.close());

/** Instants that a writer was given and had not committed: nobody can pin a page closer than this. */
let inFlight: string | undefined;

/** Asks as an action does, and takes its time before the commit. */
async function writeSlowly(accountId: string, by: Operation): Promise<void> {
  await transact(room.database, async (tx) => {
    const { createdAt } = await write(tx, present(await lockPlace(tx, accountId, () => true)), by);
    inFlight = createdAt.toISOString();
    await delay(Math.random() * 12);
  });
}

/** Writes one down in a place whose locks are held. */
async function write(tx: Transaction, place: Place, { viewer }: Operation): Promise<Numbers> {
  const numbers = await nextNumbers(tx, place, null);
  await insertElicitation(tx, {
    ...place,
    ...numbers,
    id: randomUUID(),
    sessionId: null,
    requestedById: viewer.credentialId,
    by: viewer.accountId,
    askerId: place.accountId,
    idempotencyKey: null,
    contentHash: Buffer.alloc(32),
    message: 'Deploy?',
    expiresAt: null,
    context: null,
    requestedSchema: null,
  });
  return numbers;
}

interface Walk {
  readonly scope: 'ME' | 'ORG';
  readonly scopeId: string;
  readonly asOf: string;
  readonly total: number;
  readonly ids: readonly string[];
}

/** All pages as of one instant; each of them must tell the same total. */
async function walk(viewer: Operation, scope: Walk['scope'], pinned: string | undefined): Promise<Walk> {
  const pageSize = 20 + Math.floor(Math.random() * 81);
  const read = (page: number, asOf: string | undefined) =>
    elicitationHistory({ ...viewer }, { scope, page, pageSize, asOf });
  const first = await read(1, pinned);
  const asOf = first.asOf.toISOString();
  expect(asOf).toBe(pinned ?? asOf);
  const ids = (await first.items()).map(({ id }) => id);
  for (let page = 2; (page - 1) * pageSize < first.total; page += 1) {
    const next = await read(page, asOf);
    expect(next.total).toBe(first.total);
    ids.push(...(await next.items()).map(({ id }) => id));
  }
  const scopeId = present(scope === 'ME' ? viewer.viewer.accountId : viewer.viewer.organizationId);
  return { scope, scopeId, asOf, total: first.total, ids };
}

/** The database's clock, to the millisecond that is passing. */
async function now(): Promise<string> {
  const [row] = await room.database.prisma.$queryRaw<{ now: Date }[]>`
    SELECT date_trunc('milliseconds', clock_timestamp()) AS now`;
  return present(row).now.toISOString();
}

it('a page never changes, whoever writes, moves or commits late (P7)', { timeout: 400_000 }, async () => {
  const { accounts, organization, other, database } = room;
  const operation = async (who: Who): Promise<Operation> => ({
    ...room.means,
    viewer: await authenticate(database, room.tokens[who]),
  });
  const movers = await Promise.all([1, 2].map((n) => organization.createAccount({ name: `Mover ${n}` })));
  const asked = [accounts.member, accounts.colleague, accounts.stranger, accounts.loner, ...movers];
  const service = await operation('service');
  let reading = true;
  const walks: Walk[] = [];

  const keepWriting = async (writer: number) => {
    for (let n = 0; reading && n < ROWS_OF_A_WRITER; n += 1) {
      // As many rows as there are walks yet, so that neither is over before the other.
      while (reading && walks.length < (n * WALKS) / ROWS_OF_A_WRITER) await delay(2);
      await writeSlowly(present(asked[(writer + n) % asked.length]).accountId, service);
    }
  };
  const move = async () => {
    for (let n = 0; reading; n += 1) {
      const { accountId } = present(movers[n % movers.length]);
      const to = Math.floor(n / movers.length) % 2 === 0 ? other : organization;
      await moveAccount(database, { accountId, organization: to.name });
      await delay(5);
    }
  };
  const readers = [
    ['ORG', await operation('admin')],
    ['ORG', await operation('stranger')],
    ['ME', await operation('member')],
    ['ME', await operation('loner')],
  ] as const;
  const read = async (reader: number) => {
    while (walks.length < WALKS) {
      const [scope, viewer] = present(readers[(reader + walks.length) % readers.length]);
      const choice = Math.random();
      const pinned = choice < 0.3 ? undefined : choice < 0.65 ? await now() : inFlight;
      walks.push(await walk(viewer, scope, pinned));
    }
  };
  const writing = Promise.all([
    move(),
    ...Array.from({ length: WRITERS }, (_, writer) => keepWriting(writer)),
  ]);
  await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  reading = false;
  await writing;

  const rows = await database.prisma.elicitation.findMany({
    select: { id: true, accountId: true, organizationId: true, createdAt: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  expect(rows.length).toBeGreaterThan(WRITERS * ROWS_OF_A_WRITER * 0.9);
  expect(
    new Set(
      rows
        .filter(({ accountId }) => accountId === movers[0]?.accountId)
        .map(({ organizationId }) => organizationId),
    ).size,
  ).toBe(2);
  for (const { scope, scopeId, asOf, total, ids } of walks) {
    const inScope = rows.filter(
      (row) =>
        (scope === 'ME' ? row.accountId : row.organizationId) === scopeId && row.createdAt <= new Date(asOf),
    );
    expect(ids).toEqual(inScope.map(({ id }) => id));
    expect(total).toBe(inScope.length);
  }
});

/** The same database with a clock that stands still for 200 ms at a time, so that a writer is given the very millisecond that a reader saw. */
async function withSlowClock(): Promise<Pick<Database, 'prisma'>> {
  const { prisma } = room.database;
  await prisma.$executeRaw`CREATE SCHEMA slow`;
  await prisma.$executeRaw`CREATE FUNCTION slow.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT to_timestamp(floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 5) / 5)'`;
  const $transaction = <T>(work: (tx: Transaction) => Promise<T>, options?: object) =>
    prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL search_path = slow, pg_catalog, public`;
      return work(tx);
    }, options);
  const get = (_: unknown, name: string | symbol) =>
    name === '$transaction' ? $transaction : Reflect.get(prisma, name);
  return { prisma: new Proxy<typeof prisma>(prisma, { get }) };
}

it('nobody is given an instant that was settled, however closely a writer follows a reader', async () => {
  const place = { accountId: room.accounts.admin.accountId, organizationId: null };
  const admin = { ...room.means, viewer: await authenticate(room.database, room.tokens.admin) };
  const database = { ...room.database, ...(await withSlowClock()) };
  for (let round = 0; round < 20; round += 1) {
    const head = await readScopeHead({ database }, { name: 'ME', id: place.accountId });
    const written = await transact(database, async (tx) => {
      await lockAccount(tx, place.accountId);
      return write(tx, place, admin);
    });
    expect(written.createdAt.getTime()).toBeGreaterThan(head.settled.getTime());
    await delay(60);
  }
});
