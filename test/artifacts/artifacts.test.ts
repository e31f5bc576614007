import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactsContent, deliveredOutputsContent } from '../../src/artifacts/content.js';
import { artifactById } from '../../src/artifacts/loaders.js';
import type { EventInput } from '../../src/events/content.js';
import { ask } from '../citations/ask.js';
import { openSeeded, type Seeded } from '../citations/seed.js';
import { openTestDatabase } from '../database.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

type Delivered = Extract<EventInput, { kind: 'artifacts_delivered' }>;
type Outputs = Extract<EventInput, { kind: 'delivered_outputs' }>;

let events = 0;
const eventId = () => {
  events += 1;
  return `event-${events}`;
};
const file = (artifactId: string, fields: Partial<Delivered['artifacts'][number]> = {}) => ({
  ...{ artifactId, kind: 'AGENT_DELIVERED_FILE' as const, filename: `${artifactId}.txt` },
  ...fields,
});
const delivered = (...artifacts: Delivered['artifacts']): Delivered => ({
  ...{ kind: 'artifacts_delivered', eventId: eventId(), artifacts },
});
const output = (artifactId: string, fields: Partial<Outputs['deliveredOutputs'][number]> = {}) => ({
  ...{ artifactId, kind: 'TABLE' as const, title: artifactId },
  ...fields,
});
const outputs = (...deliveredOutputs: Outputs['deliveredOutputs']): Outputs => ({
  ...{ kind: 'delivered_outputs', eventId: eventId(), deliveredOutputs },
});

const nodeId = (typename: string, id: string) => Buffer.from(`${typename}:${id}`).toString('base64');

const FILE = 'id artifactId kind format filename contentType sizeBytes createdAt';
// `kind` is of another type than a file's, so one selection of both must leave it out.
const OUTPUT = 'id artifactId title caption rowCount createdAt';
const LISTS = `query ($sessionId: ID!, $first: Int, $last: Int) { session(sessionId: $sessionId) {
  artifacts(first: $first, last: $last) { totalCount pageInfo { hasNextPage hasPreviousPage } nodes { ${FILE} } }
  deliveredOutputs(first: $first, last: $last) { totalCount nodes { kind ${OUTPUT} } }
} }`;
const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Artifact { ${FILE} } ... on DeliveredOutput { ${OUTPUT} } } }`;

describe("a session's files", () => {
  it('are the latest snapshots in order of first appearance', async () => {
    const sessionId = await seeded.newSession();
    const createdAt = new Date('2026-07-30T12:00:00.123Z');
    await seeded.append(
      sessionId,
      delivered(file('z'), file('a', { format: 'pdf', contentType: 'application/pdf', createdAt })),
      delivered(file('m'), file('z', { kind: 'PROSE_EXPORT', filename: 'new 💥.txt', sizeBytes: 1 })),
    );
    await seeded.append(sessionId, delivered(file('b'), file('a')));
    const blank = { format: null, contentType: null, sizeBytes: null, createdAt: null };
    const shown = (artifactId: string, fields = {}) => ({
      ...{ id: nodeId('Artifact', `${sessionId}::${artifactId}`), artifactId, kind: 'AGENT_DELIVERED_FILE' },
      ...{ filename: `${artifactId}.txt`, ...blank, ...fields },
    });
    expect(await ask(seeded.as('owner'), LISTS, { sessionId })).toMatchObject({
      session: {
        artifacts: {
          totalCount: 4,
          nodes: [
            shown('z', { kind: 'PROSE_EXPORT', filename: 'new 💥.txt', sizeBytes: 1 }),
            shown('a'),
            shown('m'),
            shown('b'),
          ],
        },
      },
    });
    expect(await ask(seeded.as('owner'), LISTS, { sessionId, last: 1 })).toMatchObject({
      session: {
        artifacts: { pageInfo: { hasNextPage: false, hasPreviousPage: true }, nodes: [{ artifactId: 'b' }] },
      },
    });
  });

  it('have exact sizes up to 2^53-1', async () => {
    const sessionId = await seeded.newSession();
    const sizes = [0, 2 ** 31, Number.MAX_SAFE_INTEGER];
    await seeded.append(
      sessionId,
      delivered(...sizes.map((sizeBytes) => file(`f${sizeBytes}`, { sizeBytes }))),
    );
    const nodes = sizes.map((sizeBytes) => ({ artifactId: `f${sizeBytes}`, sizeBytes }));
    expect(await ask(seeded.as('owner'), LISTS, { sessionId })).toMatchObject({
      session: { artifacts: { nodes } },
    });
    const ids = sizes.map((sizeBytes) => nodeId('Artifact', `${sessionId}:1:f${sizeBytes}`));
    expect(await ask(seeded.as('owner'), NODES, { ids })).toMatchObject({ nodes });
  });

  it('are found by their id once they are there, and not by a stranger', async () => {
    const sessionId = await seeded.newSession();
    const key = { sessionId, artifactId: 'a' };
    expect(await artifactById(seeded.as('owner'), key)).toBeNull();
    await seeded.append(sessionId, delivered(file('a')));
    expect(await artifactById(seeded.as('owner'), key)).toMatchObject({ fields: { filename: 'a.txt' } });
    expect(await artifactById(seeded.as('stranger'), key)).toBeNull();
  });
});

describe("a session's delivered outputs", () => {
  it('are the latest snapshots in order of first appearance, numbered apart from the files', async () => {
    const sessionId = await seeded.newSession();
    const createdAt = new Date('2026-07-30T12:00:00.123Z');
    await seeded.append(
      sessionId,
      delivered(file('t')),
      outputs(output('t', { rowCount: 3, caption: 'Old.' }), output('p', { kind: 'PROSE' })),
      outputs(output('t', { rowCount: 4, createdAt })),
    );
    expect(await ask(seeded.as('owner'), LISTS, { sessionId })).toMatchObject({
      session: {
        artifacts: { totalCount: 1 },
        deliveredOutputs: {
          totalCount: 2,
          nodes: [
            {
              ...{
                id: nodeId('DeliveredOutput', `${sessionId}::t`),
                artifactId: 't',
                kind: 'TABLE',
                title: 't',
              },
              ...{ caption: null, rowCount: 4, createdAt: '2026-07-30T12:00:00.123Z' },
            },
            { artifactId: 'p', kind: 'PROSE', rowCount: null, createdAt: null },
          ],
        },
      },
    });
  });
});

describe('the nodes', () => {
  it('show under their event what the event said, and under the session the latest', async () => {
    const sessionId = await seeded.newSession();
    const createdAt = new Date('2026-07-30T12:00:00.123Z');
    await seeded.append(
      sessionId,
      delivered(file('a:1', { filename: 'one', createdAt })),
      delivered(file('a:1', { filename: 'two' })),
      outputs(output('a:1', { title: 'one', createdAt })),
      outputs(output('a:1', { title: 'two' })),
    );
    const artifacts = ['1:a:1', '2:a:1', ':a:1'].map((part) => nodeId('Artifact', `${sessionId}:${part}`));
    const shown = ['3:a:1', '4:a:1', ':a:1'].map((part) => nodeId('DeliveredOutput', `${sessionId}:${part}`));
    const at = createdAt.toISOString();
    expect(await ask(seeded.as('owner'), NODES, { ids: [...artifacts, ...shown] })).toMatchObject({
      nodes: [
        { __typename: 'Artifact', id: artifacts[0], filename: 'one', createdAt: at },
        { __typename: 'Artifact', id: artifacts[1], filename: 'two', createdAt: null },
        { __typename: 'Artifact', id: artifacts[2], filename: 'two', createdAt: null },
        { __typename: 'DeliveredOutput', id: shown[0], title: 'one', createdAt: at },
        { __typename: 'DeliveredOutput', id: shown[1], title: 'two', createdAt: null },
        { __typename: 'DeliveredOutput', id: shown[2], title: 'two', createdAt: null },
      ],
    });
  });

  it('are null for what is not there, of another kind, unreadable, or of a session that one may not see', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, delivered(file('a')), outputs(output('o')), delivered(file('broken')));
    await seeded.database.prisma.event.update({
      where: { sessionId_number: { sessionId, number: 3 } },
      data: { payload: { artifacts: [{ artifactId: 'broken', kind: 'HOLOGRAM', filename: 'x' }] } },
    });
    const ids = [
      ...['1:o', '2:a', '3:broken', '4:a', '1:a:', ':o', ''].map((part) =>
        nodeId('Artifact', `${sessionId}:${part}`),
      ),
      ...['1:a', ':a', '2:a'].map((part) => nodeId('DeliveredOutput', `${sessionId}:${part}`)),
    ];
    expect(await ask(seeded.as('owner'), NODES, { ids })).toEqual({ nodes: ids.map(() => null) });
    const own = [nodeId('Artifact', `${sessionId}:1:a`), nodeId('Artifact', `${sessionId}::a`)];
    expect(await ask(seeded.as('owner'), NODES, { ids: own })).toMatchObject({
      nodes: own.map((id) => ({ id })),
    });
    expect(await ask(seeded.as('stranger'), NODES, { ids: own })).toEqual({ nodes: [null, null] });
  });
});

describe('one operation', () => {
  it('is cut where it first read the session, whatever comes meanwhile', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, delivered(file('a')), outputs(output('a')));
    const operation = seeded.as('owner');
    const before = await ask(operation, LISTS, { sessionId });
    await seeded.append(sessionId, delivered(file('b')), outputs(output('b')));
    expect(
      await ask(
        operation,
        `query ($sessionId: ID!) { session(sessionId: $sessionId) {
      artifacts(first: 200) { totalCount nodes { artifactId } }
      deliveredOutputs(last: 200) { totalCount nodes { artifactId } }
    } }`,
        { sessionId },
      ),
    ).toEqual({
      session: {
        artifacts: { totalCount: 1, nodes: [{ artifactId: 'a' }] },
        deliveredOutputs: { totalCount: 1, nodes: [{ artifactId: 'a' }] },
      },
    });
    const ids = [':b', '3:b'].map((part) => nodeId('Artifact', `${sessionId}:${part}`));
    expect(await ask(operation, NODES, { ids })).toEqual({ nodes: [null, null] });
    expect(await ask(seeded.as('owner'), NODES, { ids })).toMatchObject({ nodes: ids.map((id) => ({ id })) });
    expect(before).not.toEqual(await ask(seeded.as('owner'), LISTS, { sessionId }));
  });
});

describe('the number of statements', () => {
  it('is the same for one file and for thousands', async () => {
    const [small, large] = [await seeded.newSession(), await seeded.newSession()];
    const many = Array.from({ length: 400 }, (_, index) => file(`f${index}`));
    const few = await seeded.database.statementsOf(() => seeded.append(small, delivered(file('a'))));
    const all = await seeded.database.statementsOf(() =>
      seeded.append(large, ...Array.from({ length: 10 }, () => delivered(...many))),
    );
    expect(all.length).toBe(few.length);
    expect(few.filter((sql) => /INTO artifact\b/.test(sql))).toHaveLength(1);
  });

  it('is one for a list of each session of a page, and one for the nodes of one kind', async () => {
    const ids = [await seeded.newSession(), await seeded.newSession(), await seeded.newSession()];
    for (const id of ids) await seeded.append(id, delivered(file('a'), file('b')), outputs(output('o')));
    const lists = (selection: string) =>
      seeded.database.statementsOf(() =>
        ask(seeded.as('owner'), `{ sessions(first: 3) { nodes { ${selection} } } }`),
      );
    const [none, both] = [
      await lists('sessionId'),
      await lists('artifacts(first: 1) { nodes { filename } } deliveredOutputs { nodes { title } }'),
    ];
    // The two lists, and the sessions once more: the rows of a page are not what later lists are cut by.
    expect(both.length - none.length).toBe(3);
    const nodes = ids.flatMap((id) => [`${id}:1:a`, `${id}:1:b`]).map((id) => nodeId('Artifact', id));
    const read = await seeded.database.statementsOf(() => ask(seeded.as('owner'), NODES, { ids: nodes }));
    expect(read).toHaveLength(2);
  });
});

describe('the door', () => {
  it('takes each artifactId once in an event', () => {
    const twice = [file('a'), file('b'), file('a')];
    expect(artifactsContent.safeParse(twice).error?.issues[0]?.path).toEqual([2, 'artifactId']);
    expect(artifactsContent.safeParse(twice.slice(1)).success).toBe(true);
    expect(deliveredOutputsContent.safeParse([output('a'), output('a')]).success).toBe(false);
  });
});
