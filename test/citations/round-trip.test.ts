import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sourceContent } from '../../src/citations/content.js';
import { openTestDatabase } from '../database.js';
import { ask } from './ask.js';
import { message, openSeeded, type Seeded } from './seed.js';

let seeded: Seeded;
beforeAll(async () => {
  seeded = await openSeeded(await openTestDatabase());
});
afterAll(() => seeded.close());

const source = z.object({
  sourceRef: z.string(),
  title: z.string().nullable(),
  authors: z.array(z.string()),
  year: z.number().nullable(),
  doi: z.string().nullable(),
  url: z.string().nullable(),
  venue: z.string().nullable(),
  citationCount: z.number().nullable(),
  fullTextAvailable: z.boolean().nullable(),
  studyTypeTags: z.array(z.string()),
  journalQuartile: z.number().nullable(),
  elicitId: z.string().nullable(),
});
type Source = z.output<typeof source>;

const FIELDS = `sourceRef title authors year doi url venue citationCount fullTextAvailable studyTypeTags
  journalQuartile elicitId`;

const answer = z.object({
  session: z.object({ citedSources: z.object({ nodes: z.array(source) }) }),
  nodes: z.array(source),
});

/** Writes sources as citations of one message, and reads them as the session's and as that event's. */
async function roundTrip(sources: readonly Source[]): Promise<{ merged: Source[]; asSent: Source[] }> {
  const sessionId = await seeded.newSession();
  await seeded.append(sessionId, message(sources.map((source) => ({ source }))));
  const ids = sources.map((_, index) =>
    Buffer.from(`Source:${sessionId}:1:c${index + 1}`).toString('base64'),
  );
  const document = `query ($sessionId: ID!, $ids: [ID!]!) {
    session(sessionId: $sessionId) { citedSources(first: 200) { nodes { ${FIELDS} } } }
    nodes(ids: $ids) { ... on Source { ${FIELDS} } }
  }`;
  const { session, nodes } = answer.parse(await ask(seeded.as('owner'), document, { sessionId, ids }));
  return { merged: session.citedSources.nodes, asSent: nodes };
}

const blank = {
  ...{ title: null, authors: [], year: null, doi: null, url: null, venue: null, citationCount: null },
  ...{ fullTextAvailable: null, studyTypeTags: [], journalQuartile: null, elicitId: null },
};

const hard: readonly Source[] = [
  { ...blank, sourceRef: 'nothing is known' },
  { ...blank, sourceRef: 'empty', title: '', authors: [''], doi: '', year: 0 },
  {
    ...blank,
    sourceRef: '💥:a"b\\c',
    title: 'Émile\u200bZ \u202egnp.exe\u202c e\u0301 é ﷽ 𠮷',
    authors: ['{a,"b"}', 'NULL', "d'A"],
  },
  { ...blank, sourceRef: 'markup', title: '<i>C. elegans</i> &amp; <script>alert(1)</script>\n\t$\\alpha$' },
  {
    ...blank,
    sourceRef: 'doi',
    doi: '10.1002/(SICI)1097(1998)49:8<693::AID>3.0.CO;2-O',
    url: 'javascript:alert(1)',
  },
  { ...blank, sourceRef: 'counts', citationCount: Number.MAX_SAFE_INTEGER, year: -350, journalQuartile: 1 },
  { ...blank, sourceRef: 'int', citationCount: 2 ** 31, fullTextAvailable: false, elicitId: 'e', venue: 'В' },
  {
    ...blank,
    sourceRef: 'many',
    title: 'very '.repeat(2_000),
    authors: Array.from({ length: 3_000 }, (_, n) => `A. ${n}`),
  },
  {
    ...blank,
    sourceRef: 'json',
    title: '{"a":[1]}',
    studyTypeTags: ['Meta-Analysis', ' '],
    fullTextAvailable: true,
  },
];

describe('a source', () => {
  it('comes back as it was sent, whatever is in it', async () => {
    const { merged, asSent } = await roundTrip(hard);
    expect(merged).toEqual(hard);
    expect(asSent.slice(0, 100)).toEqual(hard.slice(0, 100));
  });
});

const file = fileURLToPath(
  new URL('../../../shared/recordings/citations/sources.seed-shape.json', import.meta.url),
);
const recorded = existsSync(file)
  ? z.array(z.object({ source })).parse(JSON.parse(readFileSync(file, 'utf8')))
  : [];

describe.skipIf(recorded.length === 0)(
  'the recorded sources (skipped where ../shared/recordings is not)',
  () => {
    it('pass the door', () => {
      for (const { source } of recorded) expect(() => sourceContent.parse(source)).not.toThrow();
    });

    it('come back exactly', async () => {
      const sources = recorded.map(({ source }) => source);
      const { merged } = await roundTrip(sources.slice(0, 100));
      const rest = await roundTrip(sources.slice(100));
      expect([...merged, ...rest.merged]).toEqual(sources);
      expect(rest.asSent).toEqual(sources.slice(100));
    });
  },
);
