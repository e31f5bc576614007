import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { lockAccount, lockOrganization } from '../../src/accounts/locks.js';
import type { Transaction } from '../../src/database/database.js';
import { transact } from '../../src/database/transact.js';
import { openRoom, present, type Room, type Who } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom({ sweepPace: 5 });
});
afterAll(() => room?.close());

const RIVALS: readonly (readonly [who: Who, name: string, status: string])[] = [
  ['member', 'approveElicitation', 'APPROVED'],
  ['admin', 'rejectElicitation', 'REJECTED'],
  ['service', 'cancelElicitation', 'CANCELED'],
];

/** Everybody at once; who got through, and what the others were told had come first. */
async function race(elicitationId: string) {
  const outcomes = await Promise.all(
    RIVALS.map(async ([who, name, status]) => {
      const { body } = await room.send(who, name, { elicitationId });
      if (body.errors === undefined) return { won: status };
      expect(body.errors[0]?.extensions.code).toBe('CONFLICT');
      return { told: present(body.errors[0]).extensions.current as { status: string } };
    }),
  );
  return {
    winners: outcomes.flatMap(({ won }) => won ?? []),
    told: outcomes.flatMap(({ told }) => told?.status ?? []),
  };
}

describe('approving, rejecting, canceling and expiring at once', () => {
  it('has one winner each time, whom the losers are told of and the audit trail names alone', async () => {
    const all = new Set<string>();
    for (let round = 0; round < 50; round += 1) {
      const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
      // Every other time its end comes while the rivals are on their way, sooner or later.
      const end = round % 2 === 0 ? 3_600_000 : ((round - 1) % 10) * 4;
      await room.database.prisma.$executeRaw`
        UPDATE elicitation
        SET expires_at = date_trunc('milliseconds', clock_timestamp()) + ${end}::int * interval '1 millisecond'
        WHERE id = ${elicitationId}::uuid`;
      const { winners, told } = await race(elicitationId);
      const { elicitation } = await room.read('member', { elicitationId });
      const { status, decision, decidedAt, expiresAt } = present(elicitation);
      all.add(status);
      expect(winners).toEqual(status === 'EXPIRED' ? [] : [status]);
      expect(new Set(told)).toEqual(new Set([status]));
      expect(told).toHaveLength(RIVALS.length - winners.length);
      expect(await room.trail(elicitationId)).toEqual(['>PENDING', `PENDING>${status}`]);
      if (decision !== null)
        expect(Date.parse(present(decidedAt))).toBeLessThan(Date.parse(present(expiresAt)));
    }
    expect(all.size).toBeGreaterThan(1);
    expect(all).toContain('EXPIRED');
  });

  it('leaves both change logs without a hole, in the order of the commits', async () => {
    const rows = await room.database.prisma.elicitationTransition.findMany({
      orderBy: { organizationChange: 'asc' },
    });
    const numbers = (of: 'accountChange' | 'organizationChange') => rows.map((row) => row[of] ?? 0);
    const dense = rows.map((_, index) => index + 1);
    expect(numbers('organizationChange')).toEqual(dense);
    // All were asked of one account, so its log is the same.
    expect(numbers('accountChange')).toEqual(dense);
  });
});

describe('asking at once', () => {
  it('gives dense numbers and instants that grow, in both scopes', async () => {
    const { member, colleague, admin } = room.accounts;
    const requests = Array.from({ length: 60 }, (_, index) =>
      room.change('service', 'requestElicitation', {
        message: `${index}`,
        accountId: present([member, colleague, admin][index % 3]).accountId,
        sessionId: index % 2 === 0 ? room.sessions.member.sessionId : null,
      }),
    );
    await Promise.all(requests);
    const rows = await room.database.prisma.elicitation.findMany({ orderBy: { createdAt: 'asc' } });
    expect(rows.map(({ organizationNumber }) => organizationNumber)).toEqual(
      rows.map((_, index) => index + 1),
    );
    for (const { accountId } of [member, colleague, admin]) {
      const own = rows.filter((row) => row.accountId === accountId);
      expect(own.map(({ accountNumber }) => accountNumber)).toEqual(own.map((_, index) => index + 1));
    }
    const inSession = rows.filter(({ sessionId }) => sessionId !== null);
    expect(inSession.map(({ sessionNumber }) => sessionNumber)).toEqual(
      inSession.map((_, index) => index + 1),
    );
  });

  it('makes one elicitation of one key, even where it is asked of several', async () => {
    const { member, colleague } = room.accounts;
    for (let round = 0; round < 10; round += 1) {
      const outcomes = await Promise.all(
        [member, colleague, member, colleague].map(async ({ accountId }) => {
          const input = { message: 'Once?', accountId, idempotencyKey: `key ${round}` };
          const { body } = await room.send('service', 'requestElicitation', input);
          return (
            body.data?.requestElicitation?.elicitation.elicitationId ?? body.errors?.[0]?.extensions.code
          );
        }),
      );
      expect(outcomes.filter((outcome) => outcome === 'CONFLICT')).toHaveLength(2);
      expect(new Set(outcomes).size).toBe(2);
    }
  });
});

/** How many connections to this database wait for a lock. */
const waiting = async (): Promise<number> => {
  const [row] = await room.database.prisma.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row.count;
};

describe('whoever writes', () => {
  it("waits for the locks of the account asked and of the elicitation's organisation", async () => {
    const { member } = room.accounts;
    const organizationId = present(member.organizationId);
    for (const lock of [
      (tx: Transaction) => lockAccount(tx, member.accountId),
      (tx: Transaction) => lockOrganization(tx, organizationId),
    ]) {
      const first = await room.ask();
      const second = await room.ask();
      const { elicitationId } = await room.ask({ ttlSeconds: 3_600 });
      const held: Promise<unknown>[] = [];
      await transact(room.database, async (tx) => {
        await lock(tx);
        // On another connection, so that whoever reads it sees it.
        await room.overdue(elicitationId);
        held.push(
          room.ask(),
          room.change('member', 'approveElicitation', { elicitationId: first.elicitationId }),
          room.change('service', 'cancelElicitation', { elicitationId: second.elicitationId }),
          room.read('member', { elicitationId }, 'status'),
        );
        await vi.waitFor(async () => expect(await waiting()).toBeGreaterThanOrEqual(4), { timeout: 8_000 });
        for (const id of [first.elicitationId, second.elicitationId])
          expect(await room.trail(id)).toHaveLength(1);
      });
      await Promise.all(held);
      expect(await room.trail(elicitationId)).toEqual(['>PENDING', 'PENDING>EXPIRED']);
    }
  });

  it('waits for an account that moves, and then is of where it went', async () => {
    const mover = await room.organization.createAccount({ name: 'Mo' });
    const secret = await mover.createToken();
    const document =
      'mutation { requestElicitation(input: { message: "Where am I?" }) { elicitation { elicitationId } } }';
    const held: Promise<unknown>[] = [];
    await transact(room.database, async (tx) => {
      await lockAccount(tx, mover.accountId);
      held.push(moveAccount(room.database, { accountId: mover.accountId, organization: room.other.name }));
      await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 8_000 });
      held.push(room.execute(document, { token: secret }));
      await vi.waitFor(async () => expect(await waiting()).toBe(2), { timeout: 8_000 });
    });
    await Promise.all(held);
    const [made] = await room.database.prisma.elicitation.findMany({ where: { accountId: mover.accountId } });
    expect(made).toMatchObject({
      organizationId: room.accounts.stranger.organizationId,
      organizationNumber: 1,
      accountNumber: 1,
    });
  });
});

describe('taking the result at once', () => {
  it('is one transition, and the same answer to all', async () => {
    const { elicitationId } = await room.ask();
    await room.change('member', 'approveElicitation', { elicitationId });
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => room.change('service', 'consumeElicitation', { elicitationId })),
    );
    expect(new Set(taken.map((shown) => JSON.stringify(shown))).size).toBe(1);
    expect(await room.trail(elicitationId)).toHaveLength(3);
  });
});
