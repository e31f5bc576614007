import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoom, present, type Room, type Who } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

const FOLLOW = `subscription ($scope: ElicitationScope, $after: String) {
  elicitationChanges(scope: $scope, after: $after) {
    edges { cursor node { elicitation { elicitationId status } transition { from to at by { name } } } }
    checkpoint caughtUp } }`;

interface Update {
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: {
      readonly elicitation: { readonly elicitationId: string; readonly status: string };
      readonly transition: {
        readonly from: string | null;
        readonly to: string;
        readonly at: string;
        readonly by: { readonly name: string } | null;
      };
    } | null;
  }[];
  readonly checkpoint: string;
  readonly caughtUp: boolean;
}

function follow(who: Who, variables: object = {}) {
  const stream = room.subscribe<{ elicitationChanges: Update }>(FOLLOW, {
    token: room.tokens[who],
    variables: { ...variables },
  });
  const next = async (): Promise<Update> => {
    const { value } = await stream.next();
    if (!value?.data?.elicitationChanges || value.errors)
      throw new Error(`No update: ${JSON.stringify(value)}`);
    return value.data.elicitationChanges;
  };
  return {
    next,
    /** The next so many changes, as `from>to`. */
    async changes(count: number): Promise<string[]> {
      const seen: string[] = [];
      while (seen.length < count) seen.push(...(await next()).edges.map(step));
      return seen;
    },
    end: () => stream.return?.(),
  };
}

const step = ({ node }: Update['edges'][number]): string =>
  `${node?.transition.from ?? ''}>${node?.transition.to}`;

const refusal = async (who: Who, variables: object) => {
  const stream = room.subscribe(FOLLOW, { token: room.tokens[who], variables: { ...variables } });
  const { value } = await stream.next();
  return (value?.errors ?? []).map((error: { extensions?: unknown }) => error.extensions);
};

const checkpoints = `query ($scope: ElicitationScope) {
  elicitations(scope: $scope) { checkpoint totalCount } elicitationHistory(scope: $scope) { checkpoint total } }`;

async function checkpointOf(who: Who, scope: 'ME' | 'ORG'): Promise<string> {
  const read = await room.execute<{
    elicitations: { checkpoint: string; totalCount: number };
    elicitationHistory: { checkpoint: string; total: number };
  }>(checkpoints, { token: room.tokens[who], variables: { scope } });
  expect(read.elicitationHistory).toEqual({
    checkpoint: read.elicitations.checkpoint,
    total: read.elicitations.totalCount,
  });
  return read.elicitations.checkpoint;
}

describe('changes of elicitations', () => {
  it('come from the start, then live: each creation, decision and taking once, in order', async () => {
    const first = await room.ask({ accountId: room.accounts.colleague.accountId });
    const stream = follow('colleague');
    const begin = await stream.next();
    expect(begin).toMatchObject({ caughtUp: true });
    expect(begin.edges.map(step)).toEqual(['>PENDING']);
    await room.change('colleague', 'approveElicitation', { elicitationId: first.elicitationId });
    await room.change('colleague', 'approveElicitation', { elicitationId: first.elicitationId });
    await room.change('service', 'consumeElicitation', { elicitationId: first.elicitationId });
    expect(await stream.changes(2)).toEqual(['PENDING>APPROVED', 'APPROVED>CONSUMED']);
    await stream.end();

    const again = await follow('colleague').changes(3);
    expect(again).toEqual(['>PENDING', 'PENDING>APPROVED', 'APPROVED>CONSUMED']);
  });

  it('go on without a gap from the checkpoint of a page, and from any cursor', async () => {
    const checkpoint = await checkpointOf('admin', 'ORG');
    const made = await room.ask();
    const stream = follow('admin', { scope: 'ORG', after: checkpoint });
    const update = await stream.next();
    expect(update.edges.map(({ node }) => node?.elicitation)).toEqual([
      { elicitationId: made.elicitationId, status: 'PENDING' },
    ]);
    await room.change('member', 'rejectElicitation', { elicitationId: made.elicitationId });
    const second = await stream.next();
    expect(second.edges[0]?.node).toMatchObject({
      elicitation: { elicitationId: made.elicitationId, status: 'REJECTED' },
      transition: { from: 'PENDING', to: 'REJECTED', by: { name: 'Mel' } },
    });
    await stream.end();

    const resumed = await follow('admin', { scope: 'ORG', after: update.edges[0]?.cursor }).next();
    expect(resumed.edges.map(step)).toEqual(['PENDING>REJECTED']);
    expect(resumed.checkpoint).toBe(second.checkpoint);
    const done = await follow('admin', { scope: 'ORG', after: second.checkpoint }).next();
    expect(done).toEqual({ edges: [], checkpoint: second.checkpoint, caughtUp: true });
  });

  it('tell cancellations, and expiries as of their expiresAt, by nobody', async () => {
    const stream = follow('member', { after: await checkpointOf('member', 'ME') });
    await stream.next();
    const canceled = await room.ask();
    await room.change('service', 'cancelElicitation', { elicitationId: canceled.elicitationId });
    const expired = await room.ask();
    const at = await room.overdue(expired.elicitationId);
    await room.read('member', { elicitationId: expired.elicitationId });
    const seen: Update['edges'][number][] = [];
    while (seen.length < 4) seen.push(...(await stream.next()).edges);
    expect(seen.map(step)).toEqual(['>PENDING', 'PENDING>CANCELED', '>PENDING', 'PENDING>EXPIRED']);
    expect(seen[3]?.node?.transition).toMatchObject({ at: at.toISOString(), by: null });
    await stream.end();
  });

  it('reach whoever follows the account and whoever follows its organisation', async () => {
    const [mine, theirs] = [
      follow('member', { after: await checkpointOf('member', 'ME') }),
      follow('service', { scope: 'ORG', after: await checkpointOf('service', 'ORG') }),
    ];
    await Promise.all([mine.next(), theirs.next()]);
    await room.ask();
    expect(await mine.changes(1)).toEqual(['>PENDING']);
    expect(await theirs.changes(1)).toEqual(['>PENDING']);
    await Promise.all([mine.end(), theirs.end()]);
  });

  it('replay 450 in updates of at most 200', async () => {
    const checkpoint = await checkpointOf('loner', 'ME');
    for (let n = 0; n < 450; n += 1) await room.ask({ message: `${n}` }, 'loner');
    const stream = follow('loner', { after: checkpoint });
    const sizes: number[] = [];
    for (let caughtUp = false; !caughtUp; ) {
      const update = await stream.next();
      sizes.push(update.edges.length);
      caughtUp = update.caughtUp;
    }
    expect(sizes).toEqual([200, 200, 50]);
    await stream.end();
  });

  it('are refused to who may not list the scope, and for a cursor of another', async () => {
    const mine = await checkpointOf('member', 'ME');
    const code = (code: string, more = {}) => [expect.objectContaining({ code, ...more })];
    expect(await refusal('member', { scope: 'ORG' })).toEqual(code('FORBIDDEN'));
    expect(await refusal('blindRun', {})).toEqual(code('FORBIDDEN'));
    expect(await refusal('colleague', { after: mine })).toEqual(
      code('INVALID_CURSOR', { reason: 'WRONG_LOG' }),
    );
    expect(await refusal('member', { after: 'x' })).toEqual(code('INVALID_CURSOR', { reason: 'MALFORMED' }));
    await room.database.prisma.elicitationHead.update({
      where: { scopeId: room.accounts.member.accountId },
      data: { changeHead: { decrement: 1 } },
    });
    expect(await refusal('member', { after: mine })).toEqual(code('INVALID_CURSOR', { reason: 'AHEAD' }));
    await room.database.prisma.elicitationHead.update({
      where: { scopeId: room.accounts.member.accountId },
      data: { changeHead: { increment: 1 } },
    });
  });
});

describe('elicitations by pages', () => {
  const LIST = `query ($scope: ElicitationScope, $status: [ElicitationStatus!], $first: Int, $after: String, $last: Int, $before: String) {
    elicitations(scope: $scope, status: $status, first: $first, after: $after, last: $last, before: $before) {
      nodes { message status } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  interface List {
    readonly nodes: readonly { readonly message: string; readonly status: string }[];
    readonly totalCount: number;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  }
  const list = async (who: Who, variables: object): Promise<List> =>
    (
      await room.execute<{ elicitations: List }>(LIST, {
        token: room.tokens[who],
        variables: { ...variables },
      })
    ).elicitations;

  it('narrow to statuses, with what is due expired before it is counted', async () => {
    const account = await room.other.createAccount({ name: 'List' });
    const token = await account.createToken();
    const made = [];
    for (let n = 1; n <= 9; n += 1) {
      made.push(await room.ask({ message: `q${n}`, accountId: account.accountId }, 'strangerService'));
    }
    for (const n of [2, 5, 8]) {
      await room.change('stranger', 'approveElicitation', {
        elicitationId: present(made[n - 1]).elicitationId,
      });
    }
    for (const n of [3, 9]) await room.overdue(present(made[n - 1]).elicitationId);
    const read = async (variables: object) =>
      (await room.execute<{ elicitations: List }>(LIST, { token, variables: { ...variables } })).elicitations;
    const shown = ({ nodes }: List) => nodes.map(({ message }) => message);

    const expired = await read({ status: ['EXPIRED'] });
    expect(shown(expired)).toEqual(['q9', 'q3']);
    expect(expired.totalCount).toBe(2);
    const pending = await read({ status: ['PENDING', 'PENDING'] });
    expect(shown(pending)).toEqual(['q7', 'q6', 'q4', 'q1']);
    const page = await read({ status: ['PENDING', 'APPROVED'], first: 3 });
    expect(shown(page)).toEqual(['q8', 'q7', 'q6']);
    expect(page).toMatchObject({ totalCount: 7, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const next = await read({ status: ['PENDING', 'APPROVED'], first: 3, after: page.pageInfo.endCursor });
    expect(shown(next)).toEqual(['q5', 'q4', 'q2']);
    const back = await read({ status: ['PENDING', 'APPROVED'], last: 2 });
    expect(shown(back)).toEqual(['q2', 'q1']);
    expect((await read({})).totalCount).toBe(9);
    expect((await read({ status: ['CONSUMED'] })).nodes).toEqual([]);
  });

  it('refuse an empty filter and a scope that is not the viewer\u2019s', async () => {
    const codes = async (who: Who, variables: object) =>
      (await room.request(LIST, { token: room.tokens[who], variables: { ...variables } })).body.errors?.map(
        ({ extensions }) => extensions.code,
      );
    expect(await codes('member', { status: [] })).toEqual(['BAD_USER_INPUT']);
    expect(await codes('member', { scope: 'ORG' })).toEqual(['FORBIDDEN']);
    expect(await codes('blindRun', {})).toEqual(['FORBIDDEN']);
    expect((await list('run', {})).totalCount).toBeGreaterThan(0);
  });
});
