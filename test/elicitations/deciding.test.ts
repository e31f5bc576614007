import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveAccount } from '../../src/accounts/actions.js';
import { openRoom, present, type Room, type Shown } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

const FORM = { type: 'object', properties: { branch: { type: 'string' }, force: { type: 'boolean' } } };
const APPROVE = 'approveElicitation';
const REJECT = 'rejectElicitation';
const CANCEL = 'cancelElicitation';
const CONSUME = 'consumeElicitation';

const unchanged = async (before: Shown) => {
  const { elicitation } = await room.read('service', { elicitationId: before.elicitationId });
  expect(elicitation).toEqual(before);
};

describe('deciding', () => {
  it('approves, once and for all, and says by whom and when', async () => {
    const { elicitationId } = await room.ask();
    const approved = await room.change('member', APPROVE, { elicitationId });
    expect(approved).toMatchObject({
      status: 'APPROVED',
      decision: 'APPROVED',
      reason: null,
      decidedBy: { accountId: room.accounts.member.accountId },
      canceledAt: null,
      consumedAt: null,
    });
    expect(Date.parse(present(approved.decidedAt))).toBeGreaterThanOrEqual(Date.parse(approved.createdAt));
    expect(await room.change('member', APPROVE, { elicitationId })).toEqual(approved);
    for (const [who, name, input] of [
      ['member', REJECT, {}],
      ['admin', APPROVE, {}],
      ['admin', REJECT, { reason: 'No.' }],
      ['service', CANCEL, {}],
    ] as const) {
      const refusal = await room.refuse(who, name, { elicitationId, ...input });
      expect(refusal).toMatchObject({
        code: 'CONFLICT',
        current: {
          elicitationId,
          status: 'APPROVED',
          decision: 'APPROVED',
          decidedAt: approved.decidedAt,
          decidedBy: { accountId: room.accounts.member.accountId, name: 'Mel' },
        },
      });
      expect(refusal.message).toContain(`Mel approved at ${approved.decidedAt}`);
    }
    await unchanged(approved);
    expect(await room.trail(elicitationId)).toEqual(['>PENDING', 'PENDING>APPROVED']);
  });

  it('rejects with a reason; another reason is another decision', async () => {
    const { elicitationId } = await room.ask();
    const rejected = await room.change('admin', REJECT, { elicitationId, reason: 'Not on a Friday.' });
    expect(rejected).toMatchObject({
      status: 'REJECTED',
      decision: 'REJECTED',
      reason: 'Not on a Friday.',
      decidedBy: { accountId: room.accounts.admin.accountId },
    });
    expect(await room.change('admin', REJECT, { elicitationId, reason: 'Not on a Friday.' })).toEqual(
      rejected,
    );
    const refusal = await room.refuse('admin', REJECT, { elicitationId, reason: 'Never.' });
    expect(refusal).toMatchObject({ code: 'CONFLICT', current: { reason: 'Not on a Friday.' } });
    await unchanged(rejected);
  });

  it('takes a form’s answers, and compares them whatever the order of their names', async () => {
    const { elicitationId } = await room.ask({ requestedSchema: FORM });
    const answers = { branch: 'main', force: true };
    const shown = 'elicitationId status decidedAt formSubmission';
    const approved = await room.change('member', APPROVE, { elicitationId, formSubmission: answers }, shown);
    expect(approved).toMatchObject({ status: 'APPROVED', formSubmission: answers });
    const again = { elicitationId, formSubmission: { force: true, branch: 'main' } };
    expect(await room.change('member', APPROVE, again, shown)).toEqual(approved);
    const other = { elicitationId, formSubmission: { ...answers, force: false } };
    expect(await room.refuse('member', APPROVE, other)).toMatchObject({
      code: 'CONFLICT',
      current: { status: 'APPROVED' },
    });
    await room.change('service', CONSUME, { elicitationId });
    expect(await room.change('member', APPROVE, again, shown)).toEqual({ ...approved, status: 'CONSUMED' });
  });

  it('refuses answers that do not fit, by path and without the value, and leaves all as it was', async () => {
    const asked = await room.ask({ requestedSchema: { ...FORM, required: ['branch'] } });
    const { elicitationId } = asked;
    for (const [formSubmission, path] of [
      [{ branch: 7_654_321 }, 'input.formSubmission.branch'],
      [{ force: true }, 'input.formSubmission.branch'],
      [{ branch: 'main', other: 7_654_321 }, 'input.formSubmission'],
      [[7_654_321], 'input.formSubmission'],
      [null, 'input.formSubmission.branch'],
    ] as const) {
      const refusal = await room.refuse('member', APPROVE, { elicitationId, formSubmission });
      expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', path });
      expect(JSON.stringify(refusal)).not.toContain('7654321');
    }
    await unchanged(asked);
  });

  it('takes no answers where none are asked for', async () => {
    const asked = await room.ask();
    const { elicitationId } = asked;
    const refusal = await room.refuse('member', APPROVE, { elicitationId, formSubmission: {} });
    expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', path: 'input.formSubmission' });
    await unchanged(asked);
    await room.change('member', APPROVE, { elicitationId, formSubmission: null });
  });

  it('is for the account asked and for admins of the organisation then, and for people alone', async () => {
    const asked = await room.ask();
    const { elicitationId } = asked;
    for (const name of [APPROVE, REJECT]) {
      for (const who of ['service', 'run', 'blindRun', 'strangerService', 'lonerRun'] as const) {
        expect(await room.refuse(who, name, { elicitationId })).toMatchObject({ code: 'FORBIDDEN' });
        expect(await room.refuse(who, name, { elicitationId: 'x' })).toMatchObject({ code: 'FORBIDDEN' });
      }
      for (const who of ['colleague', 'stranger', 'loner'] as const) {
        const foreign = await room.refuse(who, name, { elicitationId });
        const unknown = await room.refuse(who, name, { elicitationId: randomUUID() });
        expect(foreign.code).toBe('NOT_FOUND');
        expect(foreign).toEqual(unknown);
        expect(await room.refuse(who, name, { elicitationId: 'x' })).toEqual(unknown);
      }
    }
    await unchanged(asked);
  });

  it('stays with the organisation that it was made in when the account moves', async () => {
    const mover = await room.organization.createAccount({ name: 'Mo' });
    const secret = await mover.createToken();
    const before = await room.ask({ accountId: mover.accountId });
    const other = await room.ask({ accountId: mover.accountId });
    await moveAccount(room.database, { accountId: mover.accountId, organization: room.other.name });
    const { elicitationId } = before;
    expect((await room.refuse('stranger', APPROVE, { elicitationId })).code).toBe('NOT_FOUND');
    expect(await room.change('admin', APPROVE, { elicitationId })).toMatchObject({ status: 'APPROVED' });
    expect(await room.change('service', CONSUME, { elicitationId })).toMatchObject({ status: 'CONSUMED' });
    const document = `mutation ($id: ID!) { rejectElicitation(input: { elicitationId: $id }) { elicitation { status } } }`;
    expect(await room.execute(document, { token: secret, variables: { id: other.elicitationId } })).toEqual({
      rejectElicitation: { elicitation: { status: 'REJECTED' } },
    });
    const rows = await room.database.prisma.elicitationTransition.findMany({
      where: { accountId: mover.accountId },
      orderBy: { accountChange: 'asc' },
    });
    expect(rows.map(({ accountChange }) => accountChange)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(rows.map(({ organizationId }) => organizationId))).toEqual(
      new Set([room.accounts.member.organizationId]),
    );
  });

  it('writes nothing into the session', async () => {
    const { sessionId } = room.sessions.member;
    const session = () =>
      room.execute('{ sessions { nodes { sessionId status updatedAt checkpoint events { totalCount } } } }', {
        token: room.tokens.member,
      });
    const { elicitationId } = await room.ask({ sessionId });
    const before = await session();
    await room.change('member', APPROVE, { elicitationId });
    await room.change('service', CONSUME, { elicitationId });
    expect(await session()).toEqual(before);
  });
});

describe('canceling', () => {
  it('takes back what waits, again without effect, for the asker alone', async () => {
    const { elicitationId } = await room.ask();
    for (const who of [
      'member',
      'admin',
      'run',
      'colleague',
      'stranger',
      'loner',
      'strangerService',
    ] as const) {
      const refusal = await room.refuse(who, CANCEL, { elicitationId });
      expect(refusal, who).toEqual(await room.refuse(who, CANCEL, { elicitationId: randomUUID() }));
      expect(refusal.code).toBe('NOT_FOUND');
    }
    const canceled = await room.change('service', CANCEL, { elicitationId, reason: 'Done by hand.' });
    expect(canceled).toMatchObject({
      status: 'CANCELED',
      decision: null,
      decidedAt: null,
      decidedBy: null,
      reason: 'Done by hand.',
    });
    expect(canceled.canceledAt).not.toBeNull();
    expect(await room.change('service', CANCEL, { elicitationId, reason: 'Done by hand.' })).toEqual(
      canceled,
    );
    for (const [who, name] of [
      ['member', APPROVE],
      ['admin', REJECT],
      ['service', CONSUME],
    ] as const) {
      expect(await room.refuse(who, name, { elicitationId })).toMatchObject({
        code: 'CONFLICT',
        current: { status: 'CANCELED', canceledAt: canceled.canceledAt, decision: null, decidedBy: null },
      });
    }
  });
});

describe('taking the result', () => {
  it('gives the same every time, with its bodies, to the asker alone', async () => {
    const context = { step: 3 };
    const { elicitationId } = await room.ask({ context, requestedSchema: FORM }, 'run');
    await room.change('member', APPROVE, { elicitationId, formSubmission: { branch: 'main' } });
    for (const who of ['member', 'admin', 'service', 'colleague', 'lonerRun'] as const) {
      const refusal = await room.refuse(who, CONSUME, { elicitationId });
      expect(refusal).toEqual(await room.refuse(who, CONSUME, { elicitationId: randomUUID() }));
    }
    const shown = 'elicitationId status decision consumedAt context formSubmission';
    const first = await room.change('run', CONSUME, { elicitationId }, shown);
    expect(first).toMatchObject({
      status: 'CONSUMED',
      decision: 'APPROVED',
      context,
      formSubmission: { branch: 'main' },
    });
    // Another credential of the same session is the same asker.
    expect(await room.change('blindRun', CONSUME, { elicitationId }, shown)).toEqual(first);
    expect(await room.trail(elicitationId)).toEqual(['>PENDING', 'PENDING>APPROVED', 'APPROVED>CONSUMED']);
  });

  it('gives a rejection as well, and its reason', async () => {
    const { elicitationId } = await room.ask();
    await room.change('member', REJECT, { elicitationId, reason: 'Too late.' });
    expect(await room.change('service', CONSUME, { elicitationId })).toMatchObject({
      status: 'CONSUMED',
      decision: 'REJECTED',
      reason: 'Too late.',
    });
  });

  it('is a CONFLICT before there is one', async () => {
    const asked = await room.ask();
    const refusal = await room.refuse('service', CONSUME, { elicitationId: asked.elicitationId });
    expect(refusal).toMatchObject({ code: 'CONFLICT', current: { status: 'PENDING', decision: null } });
    expect(refusal.message).toContain('still waits');
    await unchanged(asked);
  });

  it('never happens by reading', async () => {
    const { elicitationId } = await room.ask();
    const approved = await room.change('member', APPROVE, { elicitationId });
    await room.read('service', { elicitationId }, 'status context formSubmission');
    await unchanged(approved);
  });
});

describe('what it was at a time', () => {
  it('follows the transitions, each instant included', async () => {
    const { elicitationId } = await room.ask();
    await room.change('member', APPROVE, { elicitationId });
    const { createdAt, decidedAt, consumedAt } = await room.change('service', CONSUME, { elicitationId });
    const at = (instant: string | null, ms: number) =>
      new Date(Date.parse(present(instant)) + ms).toISOString();
    const asked = [at(createdAt, -1), createdAt, decidedAt, consumedAt, '9999-12-31T23:59:59Z'];
    const { elicitation } = await room.read<Record<string, unknown>>(
      'member',
      { elicitationId },
      asked.map((asOf, index) => `s${index}: statusAsOf(asOf: "${asOf}")`).join(' '),
    );
    expect(Object.values(present(elicitation))).toEqual([
      null,
      'PENDING',
      'APPROVED',
      'CONSUMED',
      'CONSUMED',
    ]);
  });

  it('is told by the transitions, which page like every list', async () => {
    const { elicitationId } = await room.ask();
    await room.change('admin', REJECT, { elicitationId });
    await room.change('service', CONSUME, { elicitationId });
    type Page = {
      transitions: { nodes: { to: string; by: { name: string } }[]; pageInfo: Record<string, unknown> };
    };
    const page = async (args: string) => {
      const shown = `transitions${args} { nodes { to by { name } } pageInfo { hasNextPage hasPreviousPage endCursor } }`;
      const { transitions } = present(
        (await room.read<Page>('member', { elicitationId }, shown)).elicitation,
      );
      return { ...transitions.pageInfo, told: transitions.nodes.map(({ to, by }) => `${to} by ${by.name}`) };
    };
    const first = await page('(first: 2)');
    expect(first).toMatchObject({
      told: ['PENDING by Ada', 'REJECTED by Ada'],
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const rest = await page(`(first: 2, after: "${'endCursor' in first ? first.endCursor : ''}")`);
    expect(rest).toMatchObject({ told: ['CONSUMED by Ada'], hasNextPage: false, hasPreviousPage: true });
    expect(await page('(last: 1)')).toMatchObject({ told: ['CONSUMED by Ada'] });
  });
});
