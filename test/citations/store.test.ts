import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abstractOf, citationsOf, citedSourcesOf, sourceOf } from '../../src/citations/loaders.js';
import { openTestDatabase } from '../database.js';
import { message, openSeeded, type Seeded } from './seed.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

const ALL = { above: 0, below: 1_000_000, limit: 10_000, order: 'ascending' } as const;

/** The session's cited sources, as number and name. */
async function cited(sessionId: string): Promise<unknown[]> {
  const rows = await citedSourcesOf(seeded.as('owner')).load({ sessionId, ...ALL });
  return rows.map(({ number, sourceRef }) => [number, sourceRef]);
}

const heads = async (sessionId: string) => {
  const { citationHead, sourceHead } = await seeded.database.prisma.session.findUniqueOrThrow({
    where: { id: sessionId },
  });
  return { citationHead, sourceHead };
};

describe('citations', () => {
  it('are read as they were written, in their order, numbered through the session', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(
      sessionId,
      message([
        { citationId: 'z', reference: 'r1', quote: 'q1', source: { sourceRef: 'b', title: 'B' } },
        { citationId: 'a', reference: null, quote: '', source: { sourceRef: 'a', authors: [] } },
      ]),
      message([{ citationId: 'z', source: { sourceRef: 'b' } }]),
    );
    const operation = seeded.as('owner');
    expect(await citationsOf(operation, sessionId, 1)).toMatchObject([
      { citationId: 'z', reference: 'r1', quote: 'q1', source: { sourceRef: 'b', fields: { title: 'B' } } },
      { citationId: 'a', reference: null, quote: '', source: { sourceRef: 'a', fields: { authors: [] } } },
    ]);
    expect(await citationsOf(operation, sessionId, 2)).toHaveLength(1);
    expect(await citationsOf(operation, sessionId, 3)).toEqual([]);
    const numbers = await seeded.database.prisma.citation.findMany({
      where: { sessionId },
      orderBy: [{ eventNumber: 'asc' }, { position: 'asc' }],
      select: { number: true },
    });
    expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await heads(sessionId)).toEqual({ citationHead: 3, sourceHead: 2 });
  });

  it('keep the source as sent, without its abstract, which the session keeps', async () => {
    const sessionId = await seeded.newSession();
    const source = { sourceRef: 's', title: 'T', abstract: 'Long.', fullTextAvailable: null };
    await seeded.append(sessionId, message([{ source }]));
    const row = await seeded.database.prisma.citation.findFirstOrThrow({ where: { sessionId } });
    expect(row.source).toEqual({ title: 'T' });
    expect(await abstractOf(seeded.as('owner')).load({ sessionId, sourceRef: 's' })).toBe('Long.');
  });
});

describe('sources', () => {
  it('take their numbers in order of first citation, without holes, also across calls', async () => {
    const sessionId = await seeded.newSession();
    const source = (sourceRef: string) => ({ source: { sourceRef } });
    await seeded.append(sessionId, message([source('z'), source('a'), source('z')]), message([source('m')]));
    await seeded.append(sessionId, message([source('m'), source('b'), source('a'), source('A')]));
    expect(await cited(sessionId)).toEqual([
      [1, 'z'],
      [2, 'a'],
      [3, 'm'],
      [4, 'b'],
      [5, 'A'],
    ]);
  });

  it('have the last value that is not null of each field, in order, within a call and across calls', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(
      sessionId,
      message([
        { source: { sourceRef: 's', title: 'First', year: 1999, authors: ['Li'], fullTextAvailable: true } },
        { source: { sourceRef: 's', title: 'Second', year: null, venue: 'V' } },
      ]),
      message([{ source: { sourceRef: 's', title: null, fullTextAvailable: false } }]),
    );
    await seeded.append(sessionId, message([{ source: { sourceRef: 's', doi: '10.1/x' } }]));
    const merged = await sourceOf(seeded.as('owner')).load({ sessionId, sourceRef: 's' });
    expect(merged?.fields).toMatchObject({
      ...{ title: 'Second', year: 1999, authors: ['Li'], venue: 'V', doi: '10.1/x' },
      fullTextAvailable: false,
    });
  });

  it('keep lists that a later mention leaves out, and take an empty one for a value', async () => {
    const sessionId = await seeded.newSession();
    const read = async () => (await sourceOf(seeded.as('owner')).load({ sessionId, sourceRef: 's' }))?.fields;
    await seeded.append(sessionId, message([{ source: { sourceRef: 's' } }]));
    expect(await read()).toMatchObject({ authors: [], studyTypeTags: [] });
    await seeded.append(
      sessionId,
      message([{ source: { sourceRef: 's', authors: ['Li'], studyTypeTags: ['RCT'] } }]),
    );
    await seeded.append(sessionId, message([{ source: { sourceRef: 's', title: 'T' } }]));
    expect(await read()).toMatchObject({ authors: ['Li'], studyTypeTags: ['RCT'] });
    await seeded.append(sessionId, message([{ source: { sourceRef: 's', authors: [] } }]));
    expect(await read()).toMatchObject({ authors: [], studyTypeTags: ['RCT'] });
  });

  it('are those of their session alone', async () => {
    const [one, two] = [await seeded.newSession(), await seeded.newSession()];
    await seeded.append(one, message([{ source: { sourceRef: 's', title: 'One' } }]));
    await seeded.append(two, message([{ source: { sourceRef: 's', year: 2002 } }]));
    const read = (sessionId: string) => sourceOf(seeded.as('owner')).load({ sessionId, sourceRef: 's' });
    expect((await read(one))?.fields).toMatchObject({ title: 'One', year: null });
    expect((await read(two))?.fields).toMatchObject({ title: null, year: 2002 });
  });
});

describe('the number of statements', () => {
  const citing = (count: number) =>
    message(
      Array.from({ length: count }, (_, index) => ({
        citationId: `c${index}`,
        source: { sourceRef: `s${index % 70}`, title: 'T' },
      })),
    );

  it('is the same for one citation and for thousands', async () => {
    const [small, large] = [await seeded.newSession(), await seeded.newSession()];
    const few = await seeded.database.statementsOf(() => seeded.append(small, citing(1)));
    const many = await seeded.database.statementsOf(() =>
      seeded.append(large, ...Array.from({ length: 100 }, () => citing(30))),
    );
    expect(many.length).toBe(few.length);
    expect(few.filter((sql) => /INTO (citation|source)\b/.test(sql))).toHaveLength(2);
    expect(await heads(large)).toEqual({ citationHead: 3_000, sourceHead: 30 });
  });

  it('is one for the citations of any number of messages, and one for their abstracts', async () => {
    const sessionId = await seeded.newSession();
    await seeded.append(sessionId, ...Array.from({ length: 50 }, () => citing(20)));
    const operation = seeded.as('owner');
    const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
    const read = await seeded.database.statementsOf(async () => {
      const citations = await Promise.all(numbers.map((number) => citationsOf(operation, sessionId, number)));
      expect(citations.flat()).toHaveLength(1_000);
    });
    expect(read).toHaveLength(1);
    const abstracts = await seeded.database.statementsOf(() =>
      Promise.all(numbers.map((n) => abstractOf(operation).load({ sessionId, sourceRef: `s${n % 20}` }))),
    );
    expect(abstracts).toHaveLength(1);
  });
});
