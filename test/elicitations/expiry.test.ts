import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { changeLogKey } from '../../src/elicitations/topics.js';
import { openRoom, present, type Room } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

/** Hears of the change log of the room's organisation; the heads that were told. */
function hear(of: Room): { readonly heads: number[]; readonly leave: () => void } {
  const heads: number[] = [];
  const key = changeLogKey(present(of.accounts.member.organizationId));
  return { heads, leave: of.means.bus.subscribe(key, ({ head }) => heads.push(head)) };
}

const changeHead = async (of: Room, scopeId: string) =>
  (await of.database.prisma.elicitationHead.findUniqueOrThrow({ where: { scopeId } })).changeHead;

describe('an elicitation whose time is over', () => {
  it('reads as EXPIRED at once, is written down as of its end, and told', async () => {
    const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
    const expiresAt = await room.overdue(elicitationId);
    const news = hear(room);
    const { elicitation } = await room.read<Record<string, unknown>>(
      'colleague',
      { elicitationId },
      'status',
    );
    expect(elicitation).toBeNull();
    expect(await room.trail(elicitationId)).toEqual(['>PENDING']);
    const shown = `status decision decidedAt expiresAt before: statusAsOf(asOf: "${new Date(expiresAt.getTime() - 1).toISOString()}")
      end: statusAsOf(asOf: "${expiresAt.toISOString()}") transitions { nodes { from to at by { name } } }`;
    const read = await room.read<Record<string, unknown>>('member', { elicitationId }, shown);
    expect(read.elicitation).toMatchObject({
      status: 'EXPIRED',
      decision: null,
      decidedAt: null,
      expiresAt: expiresAt.toISOString(),
      before: 'PENDING',
      end: 'EXPIRED',
      transitions: {
        nodes: [{ to: 'PENDING' }, { from: 'PENDING', to: 'EXPIRED', at: expiresAt.toISOString(), by: null }],
      },
    });
    news.leave();
    expect(news.heads).toEqual([await changeHead(room, present(room.accounts.member.organizationId))]);
  });

  it('cannot be decided, canceled or taken, and says so', async () => {
    for (const [who, name] of [
      ['member', 'approveElicitation'],
      ['admin', 'rejectElicitation'],
      ['service', 'cancelElicitation'],
      ['service', 'consumeElicitation'],
    ] as const) {
      const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
      const expiresAt = await room.overdue(elicitationId);
      const refusal = await room.refuse(who, name, { elicitationId });
      expect(refusal).toMatchObject({
        code: 'CONFLICT',
        current: { status: 'EXPIRED', expiresAt: expiresAt.toISOString(), decision: null, decidedBy: null },
      });
      expect(refusal.message).toContain(`expired at ${expiresAt.toISOString()}`);
      expect(await room.trail(elicitationId)).toEqual(['>PENDING', 'PENDING>EXPIRED']);
    }
  });

  it('stays what it was when it was decided in time', async () => {
    const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
    await room.change('member', 'approveElicitation', { elicitationId });
    await room.overdue(elicitationId);
    expect((await room.read('member', { elicitationId })).elicitation?.status).toBe('APPROVED');
    expect(await room.change('service', 'consumeElicitation', { elicitationId })).toMatchObject({
      status: 'CONSUMED',
    });
  });

  it('is shown so in lists and by node, of several organisations at once', async () => {
    const { database } = room;
    const mover = await room.organization.createAccount({ name: 'Mo' });
    const { sessionId } = await mover.createSession();
    const first = await room.ask({ accountId: mover.accountId, sessionId, ttlSeconds: 60 });
    await moveAccount(database, { accountId: mover.accountId, organization: room.other.name });
    const secret = await mover.createToken();
    const { requestElicitation } = await room.execute<{
      requestElicitation: { elicitation: { elicitationId: string } };
    }>(
      `mutation ($input: RequestElicitationInput!) { requestElicitation(input: $input) { elicitation { elicitationId } } }`,
      { token: secret, variables: { input: { message: 'And now?', sessionId, ttlSeconds: 60 } } },
    );
    const ids = [first.elicitationId, requestElicitation.elicitation.elicitationId];
    for (const id of ids) await room.overdue(id);
    const { session } = await room.execute<{ session: { elicitations: { nodes: unknown[] } } }>(
      'query ($id: ID!) { session(sessionId: $id) { elicitations { nodes { elicitationId status } } } }',
      { token: secret, variables: { id: sessionId } },
    );
    expect(session.elicitations.nodes).toEqual(
      ids.reverse().map((elicitationId) => ({ elicitationId, status: 'EXPIRED' })),
    );
    const changes = await database.prisma.elicitationTransition.findMany({
      where: { accountId: mover.accountId },
      orderBy: { accountChange: 'asc' },
    });
    expect(changes.map(({ to, accountChange }) => [to, accountChange])).toEqual([
      ['PENDING', 1],
      ['PENDING', 2],
      ['EXPIRED', 3],
      ['EXPIRED', 4],
    ]);
  });

  it('costs a read that finds nothing due no statement more', async () => {
    const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
    const cost = () => room.countStatements(() => room.read('member', { elicitationId }, 'status'));
    await cost();
    const quiet = await cost();
    await room.overdue(elicitationId);
    expect(await cost()).toBeGreaterThan(quiet);
    expect(await cost()).toBe(quiet);
  });
});

describe('the sweep', () => {
  it('writes down and tells what nobody reads, more than a batch of it, and ends with the gateway', async () => {
    const swept = await openRoom({ sweepPace: 20 });
    try {
      const { prisma } = swept.database;
      const { elicitationId } = await swept.ask({ ttlSeconds: 3_600 });
      const news = hear(swept);
      const scopeId = present(swept.accounts.member.organizationId);
      // More of the same place than one transaction takes.
      const many = 249;
      await prisma.$executeRaw`
        INSERT INTO elicitation (id, account_id, organization_id, account_number, organization_number, requested_by_id, asker_id,
          content_hash, message, created_at, expires_at)
        SELECT gen_random_uuid(), account_id, organization_id, account_number + n, organization_number + n, requested_by_id, asker_id,
          content_hash, message, created_at + n * interval '1 millisecond', created_at + interval '1 hour'
        FROM elicitation, generate_series(1, ${many}::int) AS n WHERE id = ${elicitationId}::uuid`;
      await prisma.$executeRaw`UPDATE elicitation SET expires_at = created_at + interval '1 millisecond'`;
      await vi.waitFor(
        async () => expect(await prisma.elicitation.count({ where: { status: 'PENDING' } })).toBe(0),
        {
          timeout: 20_000,
          interval: 50,
        },
      );
      const written = await prisma.elicitationTransition.findMany({ where: { to: 'EXPIRED' } });
      expect(written).toHaveLength(many + 1);
      const changes = written.map(({ organizationChange }) => organizationChange ?? 0).sort((a, b) => a - b);
      expect(changes).toEqual(changes.map((_, index) => index + 2));
      await vi.waitFor(() => expect(news.heads.at(-1)).toBe(many + 2));
      expect(await changeHead(swept, scopeId)).toBe(many + 2);
      news.leave();
    } finally {
      await swept.close();
    }
  });

  it('goes on after a failure, and tells the log of it', async () => {
    const swept = await openRoom({ sweepPace: 20 });
    try {
      await swept.database.prisma.$executeRaw`ALTER TABLE elicitation RENAME TO elsewhere`;
      await vi.waitFor(() => expect(swept.logged.join()).toContain('expiring elicitations'), {
        timeout: 10_000,
      });
      await swept.database.prisma.$executeRaw`ALTER TABLE elsewhere RENAME TO elicitation`;
      const { elicitationId } = await swept.ask({ ttlSeconds: 3_600, idempotencyKey: randomUUID() });
      await swept.overdue(elicitationId);
      await vi.waitFor(async () => expect(await swept.trail(elicitationId)).toHaveLength(2), {
        timeout: 20_000,
      });
    } finally {
      await swept.close();
    }
  });
});
