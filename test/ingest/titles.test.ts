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

  test('says what a tool asks and delivers, with or without a title', () => {
    const delivers = { kind: 'TABLE', name: 'meta.title', rows: 'rows' };
    const titles = parseTitles(
      JSON.stringify({ ask: { title: 'Asking', asks: { text: 'q' } }, 'data-table': { delivers } }),
    );
    expect(titles.get('ask')).toEqual({ title: 'Asking', asks: { text: 'q' } });
    expect(titles.get('data-table')).toEqual({ title: 'Working', delivers });
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
    [
      'a query of a tool that does not search',
      '{"my_tool": {"title": "x", "query": "q"}}',
      'TIDINGS_TITLES["my_tool"].query: expected "searches"',
    ],
    [
      'a question without its text',
      '{"my_tool": {"asks": {"options": "o"}}}',
      'TIDINGS_TITLES["my_tool"].asks.text',
    ],
    [
      'a kind that nothing has',
      '{"my_tool": {"delivers": {"kind": "FILE", "name": "n"}}}',
      'TIDINGS_TITLES["my_tool"].delivers.kind',
    ],
    [
      'a caption of a file',
      '{"my_tool": {"delivers": {"kind": "REPORT_ASSET", "name": "n", "caption": "c"}}}',
      'TIDINGS_TITLES["my_tool"].delivers.caption: REPORT_ASSET has none; it has "type" and "size"',
    ],
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
