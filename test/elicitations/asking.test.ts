import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { openRoom, present, type Room, type Who } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

const REQUEST = 'requestElicitation';

describe('asking', () => {
  it('shows what was asked, by whom, of whom, with its bodies', async () => {
    const context = { branch: 'main', 'a<b': [1, null, { __proto: 'x' }], z: 1, a: 2 };
    const requestedSchema = {
      type: 'object',
      properties: { zeta: { type: 'string' }, alpha: { type: 'boolean' } },
      required: ['zeta'],
    };
    const made = await room.ask(
      { context, requestedSchema, ttlSeconds: 60, idempotencyKey: 'k-bodies' },
      'run',
    );
    const { elicitation } = await room.read<Record<string, unknown>>(
      'member',
      { elicitationId: made.elicitationId },
      `elicitationId idempotencyKey message status decision reason createdAt decidedAt expiresAt consumedAt canceledAt
       account { accountId } requestedBy { kind name account { accountId } } decidedBy { name } session { sessionId }
       context requestedSchema formSubmission
       transitions { totalCount nodes { from to at by { accountId } } pageInfo { hasNextPage } }`,
    );
    const member = { accountId: room.accounts.member.accountId };
    expect(elicitation).toEqual({
      elicitationId: made.elicitationId,
      idempotencyKey: 'k-bodies',
      message: 'Deploy to prod?',
      status: 'PENDING',
      decision: null,
      reason: null,
      createdAt: made.createdAt,
      decidedAt: null,
      expiresAt: new Date(Date.parse(made.createdAt) + 60_000).toISOString(),
      consumedAt: null,
      canceledAt: null,
      account: member,
      requestedBy: { kind: 'RUN', name: 'agent', account: member },
      decidedBy: null,
      session: { sessionId: room.sessions.member.sessionId },
      context,
      requestedSchema,
      formSubmission: null,
      transitions: {
        totalCount: 1,
        nodes: [{ from: null, to: 'PENDING', at: made.createdAt, by: member }],
        pageInfo: { hasNextPage: false },
      },
    });
    // A form's fields are shown in their order.
    expect(JSON.stringify(present(elicitation).requestedSchema)).toBe(JSON.stringify(requestedSchema));
  });

  it('is of whom the kind of credential allows', async () => {
    const { admin, member, colleague, stranger, loner } = room.accounts;
    const asked = async (who: Who, input: object) =>
      (await room.change(who, REQUEST, { message: 'May I?', ...input })).account.accountId;
    const refused = async (who: Who, input: object) =>
      (await room.refuse(who, REQUEST, { message: 'May I?', ...input })).code;
    expect(await asked('member', {})).toBe(member.accountId);
    expect(await asked('member', { accountId: member.accountId.toUpperCase() })).toBe(member.accountId);
    expect(await refused('member', { accountId: colleague.accountId })).toBe('FORBIDDEN');
    expect(await refused('admin', { accountId: member.accountId })).toBe('FORBIDDEN');
    expect(await asked('blindRun', {})).toBe(member.accountId);
    expect(await refused('run', { accountId: admin.accountId })).toBe('FORBIDDEN');
    expect(await refused('run', { accountId: randomUUID() })).toBe('FORBIDDEN');
    expect(await asked('service', {})).toBe(admin.accountId);
    expect(await asked('service', { accountId: colleague.accountId })).toBe(colleague.accountId);
    expect(await refused('service', { accountId: stranger.accountId })).toBe('NOT_FOUND');
    expect(await refused('service', { accountId: loner.accountId })).toBe('NOT_FOUND');
    expect(await refused('service', { accountId: randomUUID() })).toBe('NOT_FOUND');
    expect(await refused('service', { accountId: 'x' })).toBe('NOT_FOUND');
    expect(await asked('lonerService', {})).toBe(loner.accountId);
    expect(await refused('lonerService', { accountId: member.accountId })).toBe('NOT_FOUND');
    expect(await asked('lonerRun', {})).toBe(loner.accountId);
  });

  it('is in a session that one may write to; a run is in its own', async () => {
    const { sessions, accounts } = room;
    const inSession = async (who: Who, sessionId?: string) => {
      const made = await room.change(who, REQUEST, { message: 'May I?', sessionId });
      const row = await room.database.prisma.elicitation.findUniqueOrThrow({
        where: { id: made.elicitationId },
      });
      return [row.sessionId, row.accountId];
    };
    const refused = async (who: Who, sessionId: string) =>
      (await room.refuse(who, REQUEST, { message: 'May I?', sessionId })).code;
    const { member, colleague, stranger } = sessions;
    expect(await inSession('member', member.sessionId)).toEqual([
      member.sessionId,
      accounts.member.accountId,
    ]);
    expect(await inSession('member')).toEqual([null, accounts.member.accountId]);
    expect(await inSession('run')).toEqual([member.sessionId, accounts.member.accountId]);
    expect(await inSession('run', member.sessionId.toUpperCase())).toEqual([
      member.sessionId,
      accounts.member.accountId,
    ]);
    // Without an account it is the session's owner that a runtime asks.
    expect(await inSession('service', colleague.sessionId)).toEqual([
      colleague.sessionId,
      accounts.colleague.accountId,
    ]);
    expect(await refused('member', colleague.sessionId)).toBe('NOT_FOUND');
    expect(await refused('admin', colleague.sessionId)).toBe('NOT_FOUND');
    expect(await refused('run', colleague.sessionId)).toBe('NOT_FOUND');
    expect(await refused('service', stranger.sessionId)).toBe('NOT_FOUND');
    expect(await refused('service', randomUUID())).toBe('NOT_FOUND');
    expect(await refused('run', 'x')).toBe('NOT_FOUND');
  });

  it('refuses what does not fit, with its path and without the value', async () => {
    const refused = (input: object) => room.refuse('member', REQUEST, { message: 'May I?', ...input });
    const past = new Date(Date.now() - 60_000).toISOString();
    const large = 'secret'.repeat(45_000);
    for (const [input, path] of [
      [{ message: '' }, 'input.message'],
      [{ message: 'x'.repeat(4_001) }, 'input.message'],
      [{ message: 'a\u0000b' }, 'input.message'],
      [{ context: large }, 'input.context'],
      [{ ttlSeconds: 0 }, 'input.ttlSeconds'],
      [{ ttlSeconds: -1 }, 'input.ttlSeconds'],
      [{ ttlSeconds: 5, expiresAt: '2999-01-01T00:00:00Z' }, 'input'],
      [{ expiresAt: past }, 'input.expiresAt'],
      [{ idempotencyKey: '' }, 'input.idempotencyKey'],
      [{ requestedSchema: 5 }, 'input.requestedSchema'],
    ] as const) {
      const refusal = await refused(input);
      expect(refusal.code, JSON.stringify(input).slice(0, 50)).toBe('BAD_USER_INPUT');
      expect(refusal.message.startsWith(`${path}: `), refusal.message).toBe(true);
      expect(refusal.message).not.toContain('secretsecret');
    }
    expect(await room.database.prisma.elicitation.count({ where: { idempotencyKey: '' } })).toBe(0);
  });

  it.each(['a\u0000b', '', 'x'.repeat(100_000)])(
    'has nothing under a key that can be none',
    async (idempotencyKey) => {
      const statements = await room.database.statementsOf(async () => {
        const { elicitation, errors } = await room.read('run', { idempotencyKey });
        expect(elicitation).toBeNull();
        expect(errors).toEqual([expect.objectContaining({ code: 'BAD_USER_INPUT', path: 'idempotencyKey' })]);
      });
      expect(statements.filter((sql) => /elicitation/.test(sql))).toEqual([]);
      expect(room.logged).toEqual([]);
    },
  );

  it('takes the largest message and context, and an explicit null as absent', async () => {
    const context = 'x'.repeat(256 * 1024 - 2);
    const made = await room.change(
      'member',
      REQUEST,
      {
        message: 'm'.repeat(4_000),
        context,
        requestedSchema: null,
        expiresAt: null,
        sessionId: null,
        idempotencyKey: null,
      },
      'elicitationId status createdAt decision context requestedSchema expiresAt',
    );
    expect(made).toMatchObject({ context, requestedSchema: null, expiresAt: null, status: 'PENDING' });
  });
});

describe('an idempotency key', () => {
  it('gives the same elicitation for the same content, however it stands by then', async () => {
    const input = { idempotencyKey: 'k1', context: { a: 1, b: null }, ttlSeconds: 3_600 };
    const first = await room.ask(input);
    expect(await room.ask({ ttlSeconds: 3_600, context: { b: null, a: 1 }, idempotencyKey: 'k1' })).toEqual(
      first,
    );
    await room.change('member', 'rejectElicitation', { elicitationId: first.elicitationId });
    expect(await room.ask(input)).toMatchObject({ elicitationId: first.elicitationId, status: 'REJECTED' });
    expect(await room.trail(first.elicitationId)).toEqual(['>PENDING', 'PENDING>REJECTED']);
  });

  it('refuses other content, with the elicitation that has it', async () => {
    const first = await room.ask({ idempotencyKey: 'k2', context: { a: null } });
    for (const other of [{ message: 'Else?' }, { context: {} }, { context: null }, { ttlSeconds: 5 }]) {
      const refusal = await room.refuse('service', REQUEST, {
        message: 'Deploy to prod?',
        accountId: room.accounts.member.accountId,
        context: { a: null },
        idempotencyKey: 'k2',
        ...other,
      });
      expect(refusal).toMatchObject({
        code: 'CONFLICT',
        current: { elicitationId: first.elicitationId, status: 'PENDING', decision: null, decidedBy: null },
      });
    }
  });

  it("is the asker's: another asker may use the same, a renewed credential finds it", async () => {
    const first = await room.ask({ idempotencyKey: 'k3' });
    const key = { idempotencyKey: 'k3' };
    expect((await room.ask(key, 'member')).elicitationId).not.toBe(first.elicitationId);
    const run = await room.ask(key, 'run');
    expect(run.elicitationId).not.toBe(first.elicitationId);
    // Both runs are the same session.
    expect((await room.ask(key, 'blindRun')).elicitationId).toBe(run.elicitationId);
    expect((await room.read('blindRun', key)).elicitation?.elicitationId).toBe(run.elicitationId);
    const renewed = await room.accounts.admin.createToken({ kind: 'SERVICE' });
    const again = await room.execute<{ elicitation: { elicitationId: string } }>(
      '{ elicitation(idempotencyKey: "k3") { elicitationId } }',
      { token: renewed },
    );
    expect(again.elicitation.elicitationId).toBe(first.elicitationId);
    for (const who of ['admin', 'colleague', 'stranger', 'loner'] as const) {
      expect((await room.read(who, key)).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
  });

  it('makes one elicitation of requests that come at once, and leaves no hole in the numbers', async () => {
    const loner = room.accounts.loner.accountId;
    const made = await Promise.all(
      Array.from({ length: 10 }, () => room.ask({ idempotencyKey: 'k4' }, 'lonerService')),
    );
    expect(new Set(made.map(({ elicitationId }) => elicitationId)).size).toBe(1);
    const rows = await room.database.prisma.elicitation.findMany({
      where: { accountId: loner },
      orderBy: { accountNumber: 'asc' },
    });
    expect(rows.map(({ accountNumber }) => accountNumber)).toEqual(rows.map((_, index) => index + 1));
  });

  it('finds what it made after the account has moved, though it could not be asked any more', async () => {
    const mover = await room.organization.createAccount({ name: 'Mo' });
    const input = { accountId: mover.accountId, idempotencyKey: 'k5' };
    const first = await room.ask(input);
    await moveAccount(room.database, { accountId: mover.accountId });
    expect((await room.ask(input)).elicitationId).toBe(first.elicitationId);
    const refusal = await room.refuse('service', REQUEST, {
      ...input,
      idempotencyKey: 'k6',
      message: 'Deploy to prod?',
    });
    expect(refusal.code).toBe('NOT_FOUND');
  });
});

describe('the numbers', () => {
  it('are dense in the account and in the organisation, and the heads say where they end', async () => {
    const { prisma } = room.database;
    const ordered = await prisma.elicitation.findMany({ orderBy: { createdAt: 'asc' } });
    for (const [scope, number] of [
      ['accountId', 'accountNumber'],
      ['organizationId', 'organizationNumber'],
    ] as const) {
      for (const id of new Set(ordered.map((row) => row[scope]).filter((it) => it !== null))) {
        const numbers = ordered.filter((row) => row[scope] === id).map((row) => row[number]);
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        const head = await prisma.elicitationHead.findUniqueOrThrow({ where: { scopeId: id } });
        expect(head.head).toBe(numbers.length);
        expect(head.lastCreatedAt).toEqual(ordered.findLast((row) => row[scope] === id)?.createdAt);
      }
    }
  });
});
