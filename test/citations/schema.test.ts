import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../database.js';
import { ask, run } from './ask.js';
import { message, openSeeded, type Seeded } from './seed.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

const nodeId = (typename: string, id: string) => Buffer.from(`${typename}:${id}`).toString('base64');
const sources = (...refs: string[]) => message(refs.map((sourceRef) => ({ source: { sourceRef } })));

describe('Session.citedSources', () => {
  const document = `query ($sessionId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    session(sessionId: $sessionId) { citedSources(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { sourceRef } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
    } }
  }`;

  it('are paged by their place, both ways', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, sources('a', 'b', 'c', 'd', 'a', 'e'));
    const page = (args: object) => ask(seeded.as('owner'), document, { sessionId, ...args });
    const first = await page({ first: 2 });
    expect(first).toMatchObject({
      session: {
        citedSources: {
          totalCount: 5,
          nodes: [{ sourceRef: 'a' }, { sourceRef: 'b' }],
          pageInfo: { hasNextPage: true, hasPreviousPage: false },
        },
      },
    });
    const { endCursor } = (first as { session: { citedSources: { pageInfo: { endCursor: string } } } })
      .session.citedSources.pageInfo;
    expect(await page({ after: endCursor, last: 1 })).toMatchObject({
      session: {
        citedSources: {
          nodes: [{ sourceRef: 'e' }],
          pageInfo: { hasNextPage: false, hasPreviousPage: true },
        },
      },
    });
    expect(await page({ before: endCursor })).toMatchObject({
      session: { citedSources: { nodes: [{ sourceRef: 'a' }] } },
    });
  });

  it('refuse a cursor of another list, and leave the session standing', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, message([{ source: { sourceRef: 'a' } }]));
    const { data, errors } = await run(
      seeded.as('owner'),
      `query ($sessionId: ID!) { session(sessionId: $sessionId) { sessionId citedSources(after: "💥") { totalCount } } }`,
      { sessionId },
    );
    expect(data).toMatchObject({ session: { sessionId, citedSources: null } });
    expect(errors?.[0]?.originalError).toMatchObject({
      code: 'INVALID_CURSOR',
      details: { reason: 'MALFORMED' },
    });
  });

  it('are one statement beside the session, abstracts and citations included only when selected', async () => {
    const sessionId = await seeded.newSession();
    const refs = Array.from({ length: 60 }, (_, index) => `s${index}`);
    await seeded.append(sessionId, sources(...refs), sources(...refs));
    const count = (selection: string) =>
      seeded.database.statementsOf(() =>
        ask(
          seeded.as('owner'),
          `query ($sessionId: ID!) { session(sessionId: $sessionId) { citedSources(first: 60) { ${selection} } } }`,
          { sessionId },
        ),
      );
    expect(await count('totalCount')).toHaveLength(1);
    const plain = await count('totalCount pageInfo { hasNextPage } nodes { title fullTextAvailable }');
    expect(plain).toHaveLength(2);
    expect(plain.join()).not.toContain('abstract');
    expect(await count('nodes { abstract }')).toHaveLength(3);
    expect(
      await count('nodes { citedBy(first: 1) { totalCount nodes { quote source { abstract } } } }'),
    ).toHaveLength(5);
  });
});

describe('Source.citedBy', () => {
  it('lists the citations of one source in their order, each with its source as sent', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(
      sessionId,
      message([
        { quote: 'one', source: { sourceRef: 's', title: 'Draft' } },
        { quote: 'other', source: { sourceRef: 't' } },
        { quote: 'two', source: { sourceRef: 's' } },
      ]),
      message([{ quote: 'three', source: { sourceRef: 's', title: 'Final', fullTextAvailable: true } }]),
    );
    const document = `query ($sessionId: ID!, $first: Int, $last: Int) { session(sessionId: $sessionId) {
      citedSources { nodes { title citedBy(first: $first, last: $last) {
        totalCount pageInfo { hasNextPage hasPreviousPage } nodes { quote source { id title fullTextAvailable } }
      } } }
    } }`;
    expect(await ask(seeded.as('owner'), document, { sessionId, first: 2 })).toEqual({
      session: {
        citedSources: {
          nodes: [
            {
              title: 'Final',
              citedBy: {
                totalCount: 3,
                pageInfo: { hasNextPage: true, hasPreviousPage: false },
                nodes: [
                  {
                    quote: 'one',
                    source: {
                      id: nodeId('Source', `${sessionId}:1:c1`),
                      title: 'Draft',
                      fullTextAvailable: true,
                    },
                  },
                  {
                    quote: 'two',
                    source: {
                      id: nodeId('Source', `${sessionId}:1:c3`),
                      title: null,
                      fullTextAvailable: true,
                    },
                  },
                ],
              },
            },
            {
              title: null,
              citedBy: {
                totalCount: 1,
                pageInfo: { hasNextPage: false, hasPreviousPage: false },
                nodes: [
                  {
                    quote: 'other',
                    source: expect.objectContaining({ title: null, fullTextAvailable: null }),
                  },
                ],
              },
            },
          ],
        },
      },
    });
    expect(await ask(seeded.as('owner'), document, { sessionId, last: 1 })).toMatchObject({
      session: { citedSources: { nodes: [{ citedBy: { nodes: [{ quote: 'three' }] } }, {}] } },
    });
  });
});

describe('the node of a Source', () => {
  const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Source { title abstract } } }`;

  it('shows under its event what the event said, and under the session what is known', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(
      sessionId,
      message([{ citationId: 'c:1', source: { sourceRef: 'a:b', title: 'Draft', abstract: 'A.' } }]),
      message([{ citationId: 'c:1', source: { sourceRef: 'a:b', title: 'Final' } }]),
    );
    const ids = ['1:c:1', '2:c:1', ':a:b'].map((part) => nodeId('Source', `${sessionId}:${part}`));
    const titles = ['Draft', 'Final', 'Final'];
    expect(await ask(seeded.as('owner'), document, { ids })).toEqual({
      nodes: ids.map((id, index) => ({ __typename: 'Source', id, title: titles[index], abstract: 'A.' })),
    });
  });

  it('is null for what is malformed, not there, or of a session that one may not see', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, message([{ source: { sourceRef: 's' } }]));
    const [event, session] = [nodeId('Source', `${sessionId}:1:c1`), nodeId('Source', `${sessionId}::s`)];
    const none = [
      ...['', ':', sessionId, `${sessionId}:`, `${sessionId}::`, `${sessionId}:1:`, `${sessionId}:0:c1`],
      ...[`${sessionId}:2:c1`, `${sessionId}:9999999999:c1`, `${sessionId}:1:c2`, `${sessionId}:01:c1`],
      ...[`${sessionId}::t`, `${sessionId}::s\u0000`, `${sessionId}:-1:c1`, 'x::s'],
    ].map((id) => nodeId('Source', id));
    expect(await ask(seeded.as('owner'), document, { ids: [event, session, ...none] })).toMatchObject({
      nodes: [{ id: event }, { id: session }, ...none.map(() => null)],
    });
    expect(await ask(seeded.as('stranger'), document, { ids: [event, session] })).toEqual({
      nodes: [null, null],
    });
  });
});

describe('one operation', () => {
  it('is cut where it first read the session, whatever comes meanwhile', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, sources('s', 'a'));
    const operation = seeded.as('owner');
    await ask(operation, 'query ($sessionId: ID!) { session(sessionId: $sessionId) { id } }', { sessionId });
    await seeded.append(sessionId, sources('s', 'b'));
    const document = `query ($sessionId: ID!, $id: ID!) {
      session(sessionId: $sessionId) {
        citedSources { totalCount nodes { sourceRef citedBy(last: 9) { totalCount nodes { citationId } } } }
      }
      node(id: $id) { id }
    }`;
    const id = nodeId('Source', `${sessionId}:2:c1`);
    const citedBy = (citationId: string) => ({ totalCount: 1, nodes: [{ citationId }] });
    expect(await ask(operation, document, { sessionId, id })).toEqual({
      session: {
        citedSources: {
          totalCount: 2,
          nodes: [
            { sourceRef: 's', citedBy: citedBy('c1') },
            { sourceRef: 'a', citedBy: citedBy('c2') },
          ],
        },
      },
      node: null,
    });
    expect(await ask(seeded.as('owner'), document, { sessionId, id })).toMatchObject({
      session: { citedSources: { totalCount: 3, nodes: [{ citedBy: { totalCount: 2 } }, {}, {}] } },
      node: { id },
    });
  });

  it('reads the lists of many sessions in as few statements as those of one', async () => {
    const ids = [await seeded.newSession(), await seeded.newSession(), await seeded.newSession()];
    for (const id of ids) await seeded.append(id, sources('s', 't'), sources('s'));
    const count = (first: number) =>
      seeded.database.statementsOf(async () => {
        const data = await ask(
          seeded.as('owner'),
          `query ($first: Int) { sessions(first: $first) { nodes {
            citedSources { nodes { sourceRef abstract citedBy(first: 2) { totalCount nodes { quote } } } }
          } } }`,
          { first },
        );
        const nodes = Array.from({ length: first }, () => ({
          citedSources: {
            nodes: [
              { sourceRef: 's', citedBy: { totalCount: 2, nodes: [{}, {}] } },
              { sourceRef: 't', citedBy: { totalCount: 1, nodes: [{}] } },
            ],
          },
        }));
        expect(data).toMatchObject({ sessions: { nodes } });
      });
    expect((await count(3)).length).toBe((await count(1)).length);
  });
});
