import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/ingest/limits.js';
import { cutText, publicText } from '../../src/ingest/public-text.js';
import { sourceOf } from '../../src/ingest/sources.js';
import { DEFAULT_TITLES } from '../../src/ingest/titles.js';

const context = { format: 'any', sessionId: 's', run: '', titles: DEFAULT_TITLES, limits: DEFAULT_LIMITS };
const source = (locator: string | undefined, title?: string, fallback: unknown[] = []) =>
  sourceOf(context, { title, locator, fallback });
const ref = (...given: Parameters<typeof source>) => source(...given).sourceRef;

describe('a source', () => {
  test.each([
    ['the spelling of its DOI', 'https://doi.org/10.1000/ABC.1', 'doi:10.1000/abc.1'],
    [
      'the host of its DOI',
      'https://dx.doi.org/10.1000/abc(1)',
      'http://doi.org/10.1000/abc%281%29?utm_source=x',
    ],
    [
      'tracking parameters',
      'https://example.org/a?id=1',
      'https://example.org/a?utm_source=x&id=1&fbclid=y&gclid=z',
    ],
    ['a fragment', 'https://example.org/a', 'https://example.org/a#:~:text=quote'],
    ['the case of the host', 'https://example.org/a', 'HTTPS://EXAMPLE.org/a'],
  ])('is the same whatever %s', (_, one, other) => {
    expect(ref(one)).toBe(ref(other));
  });

  test.each([
    ['another path', 'https://example.org/a', 'https://example.org/b'],
    ['another parameter', 'https://example.org/a?id=1', 'https://example.org/a?id=2'],
    ['another address of no web', 'kb://1', 'kb://2'],
  ])('is another with %s, whatever its title', (_, one, other) => {
    expect(ref(one, 'T')).not.toBe(ref(other, 'T'));
  });

  test('without an address goes by its title, without a title by what else tells it apart', () => {
    expect(ref(undefined, 'T', [1])).toBe(ref(undefined, 'T', [2]));
    expect(ref(undefined, 'T')).not.toBe(ref(undefined, 'U'));
    expect(ref(undefined, undefined, [1])).not.toBe(ref(undefined, undefined, [2]));
    expect(ref(undefined, '', [1])).not.toBe(ref(undefined, '', [2]));
  });

  test('is another in another session', () => {
    const other = sourceOf({ ...context, sessionId: 't' }, { title: 'T', locator: undefined, fallback: [] });
    expect(ref(undefined, 'T')).not.toBe(other.sourceRef);
  });

  test('shows its title, its web address as it was cited, and its DOI', () => {
    const url = 'https://doi.org/10.1000/ABC?utm_source=x';
    expect(source(url, 'T')).toMatchObject({ title: 'T', url, doi: '10.1000/abc' });
    expect(source('kb://doc/1', 'T')).not.toHaveProperty('url');
    expect(source('javascript:alert(1)')).not.toHaveProperty('url');
    expect(source(`https://example.org/${'x'.repeat(5_000)}`)).not.toHaveProperty('url');
    expect(source('https://example.org/10.1000/abc')).not.toHaveProperty('doi');
  });
});

describe('text', () => {
  test('is cut before a grapheme that does not fit, never inside it', () => {
    const family = '👩‍👩‍👧';
    expect(cutText(`a${family}`, family.length)).toBe('a');
    expect(cutText(`a${family}b`, family.length + 1)).toBe(`a${family}`);
    expect(cutText(`${'x'.repeat(500)}e\u0301`, 501)).toBe('x'.repeat(500));
    expect(cutText('abc', 3)).toBe('abc');
  });

  test('with one grapheme longer than all is cut between code points', () => {
    expect(cutText(`😀${'\u0301'.repeat(500)}`, 100)).toBe(`😀${'\u0301'.repeat(98)}`);
    expect(cutText('😀'.repeat(2), 1)).toBe('');
  });

  test('has no U+0000 and no lone surrogate', () => {
    expect(publicText('a\u0000b\ud800')).toBe('a\uFFFDb\uFFFD');
  });
});
