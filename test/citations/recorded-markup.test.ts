import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseMarkup, segments } from '../../src/citations/markup.js';

const file = fileURLToPath(new URL('../../../shared/recordings/citation-markup/cases.json', import.meta.url));

const cases = z.object({
  cases: z.array(
    z.object({
      name: z.string(),
      text: z.string(),
      citations: z.array(z.object({ citationId: z.string(), reference: z.string().nullable() })),
      expected: z.object({
        displayText: z.string(),
        groups: z.array(
          z.object({
            at: z.number(),
            tokens: z.array(z.object({ token: z.string(), citationIds: z.array(z.string()) })),
          }),
        ),
        warnings: z.array(z.string()),
        unusedCitationIds: z.array(z.string()),
      }),
    }),
  ),
});

const recorded = existsSync(file) ? cases.parse(JSON.parse(readFileSync(file, 'utf8'))).cases : [];

describe.skipIf(recorded.length === 0)(
  'the recorded cases (skipped where ../shared/recordings is not)',
  () => {
    it.each(recorded)('$name', ({ text, citations, expected }) => {
      const { groups, ...rest } = parseMarkup(text, citations);
      const named = groups.map(({ at, tokens }) => ({
        at,
        tokens: tokens.map(({ token, citations }) => ({
          token,
          citationIds: citations.map(({ citationId }) => citationId),
        })),
      }));
      expect({ ...rest, groups: named }).toEqual(expected);
    });

    it.each(recorded)('$name, as segments', ({ text, citations, expected }) => {
      const found = segments(text, citations);
      expect(found.map((segment) => segment.text).join('')).toBe(expected.displayText);
      const cited = found.slice(0, expected.groups.length).map((segment) => ({
        citationIds: segment.citations.map(({ citationId }) => citationId),
        unresolved: segment.unresolved,
      }));
      expect(cited).toEqual(
        expected.groups.map(({ tokens }) => ({
          citationIds: tokens.flatMap(({ citationIds }) => citationIds),
          unresolved: tokens.filter(({ citationIds }) => citationIds.length === 0).map(({ token }) => token),
        })),
      );
      expect(found.length - expected.groups.length).toBeLessThanOrEqual(1);
    });
  },
);
