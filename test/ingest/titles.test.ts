import { describe, expect, test } from 'vitest';
import { parseFormat } from '../../src/ingest/formats.js';
import { DEFAULT_TITLES, parseTitles } from '../../src/ingest/titles.js';

describe('TIDINGS_TITLES', () => {
  test('adds to the titles and overrides them', () => {
    const titles = parseTitles(
      '{"web_search": "Looking around", "mine": {"title": "Mine", "searches": "pubmed"}}',
    );
    expect(titles.get('web_search')).toEqual({ title: 'Looking around' });
    expect(titles.get('mine')).toEqual({ title: 'Mine', searches: 'pubmed' });
    expect(titles.get('bash')).toEqual(DEFAULT_TITLES.get('bash'));
  });

  test('may name tools like any object', () => {
    const titles = parseTitles('{"__proto__": "A", "constructor": "B"}');
    expect([titles.get('__proto__')?.title, titles.get('constructor')?.title]).toEqual(['A', 'B']);
    expect(DEFAULT_TITLES.get('constructor')).toBeUndefined();
  });

  test.each([
    ['no JSON', '{', 'TIDINGS_TITLES'],
    ['no object', '["a"]', 'TIDINGS_TITLES'],
    ['an empty title', '{"my_tool": ""}', 'my_tool'],
    ['a number for a title', '{"my_tool": 1}', 'my_tool'],
    ['an unknown property', '{"my_tool": {"title": "x", "icon": "y"}}', 'my_tool'],
  ])('is refused with %s, naming what is wrong', (_, json, named) => {
    expect(() => parseTitles(json)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
    expect(() => parseTitles(json)).toThrow(named);
  });

  test('default titles say nothing of the tools they stand for', () => {
    for (const [name, { title }] of DEFAULT_TITLES) expect(title.toLowerCase()).not.toContain(name);
  });
});

describe('a format', () => {
  test('is found by its name', () => {
    expect(parseFormat('anthropic-messages').name).toBe('anthropic-messages');
  });

  test.each(['', 'anthropic', '__proto__', 'Anthropic-Messages'])(
    '%j is refused with the list of those there are',
    (name) => {
      expect(() => parseFormat(name)).toThrow(
        expect.objectContaining({
          code: 'BAD_USER_INPUT',
          message: expect.stringContaining('anthropic-messages'),
        }),
      );
    },
  );
});
