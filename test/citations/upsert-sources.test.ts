import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/accounts/operation.js';
import type { Hint } from '../../src/live/bus.js';
import { openTestDatabase } from '../database.js';
import { ask, run } from './ask.js';
import { message, openSeeded, type Seeded } from './seed.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

const UPSERT = `mutation ($input: UpsertSourcesInput!) { upsertSources(input: $input) {
  session { sessionId updatedAt citedSources { totalCount nodes { sourceRef title authors abstract fullTextAvailable } } }
  sources { id sourceRef title abstract fullTextAvailable citedBy { totalCount } }
} }`;

const described = (sourceRef: string, fields: object = {}) => ({
  ...{ sourceRef, authors: [], studyTypeTags: [] },
  ...fields,
});
const upsert = (sessionId: string, ...sources: object[]) =>
  ask(seeded.as('service'), UPSERT, { input: { sessionId, sources } });

async function refusal(operation: Operation, input: object): Promise<unknown> {
  const { data, errors } = await run(operation, UPSERT, { input });
  expect(data).toEqual({ upsertSources: null });
  return errors?.[0]?.originalError;
}

const updatedAt = async (id: string) =>
  (await seeded.database.prisma.session.findUniqueOrThrow({ where: { id } })).updatedAt;

describe('upsertSources', () => {
  it('brings abstracts and verdicts to what is cited, also to citations from before', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, message([{ source: { sourceRef: 's', title: 'T', authors: ['Li'] } }]));
    const known = { sourceRef: 's', title: 'T', abstract: 'A.', fullTextAvailable: true };
    expect(
      await upsert(sessionId, described('s', { authors: ['Li'], abstract: 'A.', fullTextAvailable: true })),
    ).toMatchObject({
      upsertSources: {
        session: { sessionId, citedSources: { totalCount: 1, nodes: [{ ...known, authors: ['Li'] }] } },
        sources: [{ ...known, citedBy: { totalCount: 1 } }],
      },
    });
    const id = Buffer.from(`Source:${sessionId}:1:c1`).toString('base64');
    const document = `query ($id: ID!) { node(id: $id) { ... on Source { title abstract fullTextAvailable } } }`;
    expect(await ask(seeded.as('owner'), document, { id })).toEqual({
      node: { title: 'T', abstract: 'A.', fullTextAvailable: true },
    });
  });

  it('keeps what nothing cites yet, unlisted until something does', async () => {
    const sessionId = await seeded.newSession();
    const before = await upsert(sessionId, described('late', { title: 'Early' }), described('never'));
    expect(before).toMatchObject({
      upsertSources: {
        session: { citedSources: { totalCount: 0, nodes: [] } },
        sources: [
          { id: Buffer.from(`Source:${sessionId}::late`).toString('base64'), citedBy: { totalCount: 0 } },
          { sourceRef: 'never' },
        ],
      },
    });
    await seeded.append(
      sessionId,
      message([{ source: { sourceRef: 'x' } }, { source: { sourceRef: 'late' } }]),
    );
    expect(await upsert(sessionId)).toMatchObject({
      upsertSources: {
        session: {
          citedSources: { totalCount: 2, nodes: [{ sourceRef: 'x' }, { sourceRef: 'late', title: 'Early' }] },
        },
        sources: [],
      },
    });
  });

  it('answers one for each that was sent, in that order, merged', async () => {
    const sessionId = await seeded.newSession();
    const sent = [described('b', { title: 'B' }), described('a'), described('b', { abstract: 'A.' })];
    const b = { sourceRef: 'b', title: 'B', abstract: 'A.' };
    expect(await upsert(sessionId, ...sent)).toMatchObject({
      upsertSources: { sources: [b, { sourceRef: 'a' }, b] },
    });
  });

  it('tells the lists of the session when something changed, and only then', async () => {
    const sessionId = await seeded.newSession();
    const hints: Hint[] = [];
    const [topic] = [`session:${sessionId}`];
    const leave = seeded.bus.subscribe(topic, (hint) => hints.push(hint));
    const before = await updatedAt(sessionId);
    await upsert(sessionId, described('s', { abstract: 'A.' }));
    const after = await updatedAt(sessionId);
    expect(after >= before).toBe(true);
    expect(hints).toMatchObject([{ log: topic, head: 0, topics: [expect.stringMatching(/^account:/)] }]);
    await upsert(sessionId, described('s', { abstract: 'A.' }));
    await upsert(sessionId);
    leave();
    expect(hints).toHaveLength(1);
    expect(await updatedAt(sessionId)).toEqual(after);
  });

  it('is for SERVICE credentials, whatever the session', async () => {
    const sessionId = await seeded.newSession();
    for (const id of [sessionId, randomUUID(), 'banana']) {
      expect(await refusal(seeded.as('owner'), { sessionId: id, sources: [] })).toMatchObject({
        code: 'FORBIDDEN',
      });
    }
  });

  it('does not find a session that is malformed, unknown or foreign', async () => {
    const foreign = await seeded.newSession();
    const stranger = {
      ...seeded.as('stranger'),
      viewer: { ...seeded.as('stranger').viewer, kind: 'SERVICE' as const },
    };
    expect(await refusal(stranger, { sessionId: foreign, sources: [described('s')] })).toMatchObject({
      code: 'NOT_FOUND',
    });
    for (const sessionId of ['banana', randomUUID()]) {
      expect(await refusal(seeded.as('service'), { sessionId, sources: [] })).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  it('takes at most 500 sources and names what it cannot take', async () => {
    const sessionId = await seeded.newSession();
    const sources = Array.from({ length: 501 }, (_, index) => described(`s${index}`));
    expect(await refusal(seeded.as('service'), { sessionId, sources })).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('500'),
    });
    const bad = [described('s'), described('t', { title: 'a\u0000b' })];
    expect(await refusal(seeded.as('service'), { sessionId, sources: bad })).toMatchObject({
      code: 'BAD_USER_INPUT',
      details: { path: 'input.sources[1].title' },
    });
    expect(await seeded.database.prisma.source.count({ where: { sessionId } })).toBe(0);
  });

  it('takes the same statements for one source and for 500', async () => {
    const sessionId = await seeded.newSession();
    const many = Array.from({ length: 500 }, (_, index) => described(`s${index}`, { abstract: 'A.' }));
    const few = await seeded.database.statementsOf(() =>
      upsert(sessionId, described('x', { abstract: 'A.' })),
    );
    const all = await seeded.database.statementsOf(() => upsert(sessionId, ...many));
    expect(all).toHaveLength(few.length);
  });
});
