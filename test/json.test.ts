import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeeperThan, readJson } from '../src/json.js';

const refusalOf = (text: string) => {
  try {
    readJson(text, 'body');
    return undefined;
  } catch (error) {
    return error;
  }
};

const badInput = (message: RegExp) => ({
  code: 'BAD_USER_INPUT',
  message: expect.stringMatching(message),
});

describe('JSON that somebody sent', () => {
  it('is read as JSON.parse reads it', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), spaces, (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJson(text, 'body')).toEqual(JSON.parse(text));
      }),
    );
  });

  it('may hold brackets, colons, commas and quotes in its texts', () => {
    const value = { 'a:"b': ['{[,:', '\\"', '\\\\', '"', { ':': '\\' }] };
    expect(readJson(JSON.stringify(value), 'body')).toEqual(value);
  });

  it('has a name such as __proto__ as any other', () => {
    const value = readJson('{"__proto__":{"admin":true},"b":{"constructor":1}}', 'body');
    expect(Object.keys(Object(value))).toEqual(['__proto__', 'b']);
    expect(Object(value).admin).toBeUndefined();
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":[{"c":1,"d":2,"c":{}}]}}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
  ])('is refused with a name that stands twice in one object: %s', (text) => {
    expect(refusalOf(text)).toMatchObject(badInput(/each name once/));
  });

  it('may have a name in each of two objects', () => {
    expect(refusalOf('[{"a":1},{"a":{"a":3}}]')).toBeUndefined();
  });

  it.each([
    ['2,000,000 open brackets', `{"a":${'['.repeat(2_000_000)}`, /128 levels/],
    ['200 levels of objects', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, /128 levels/],
    ['a million empty arrays', `[${'[],'.repeat(1_000_000)}1]`, /100000 values/],
    ['a million numbers', `[${'1,'.repeat(1_000_000)}1]`, /100000 values/],
    ['half an object', '{"a":', /expected JSON/],
    ['a text without an end', `"${'\\"'.repeat(10_000)}`, /expected JSON/],
  ])('is refused: %s', (_, text, message) => {
    expect(refusalOf(text)).toMatchObject(badInput(message));
  });

  it('nests as deep as it does, whatever stands in its texts', () => {
    const json = `[["]]]]\\"]]",{"}":[${'1,'.repeat(100)}1]}]]`;
    expect([isDeeperThan(json, 3), isDeeperThan(json, 4)]).toEqual([true, false]);
  });
});
