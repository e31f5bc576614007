import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Framing, type SavedFraming } from '../../src/ingest/framing.js';
import { DEFAULT_LIMITS, type IngestLimits } from '../../src/ingest/limits.js';
import { byteByByte, bytesOf } from './streams.js';

/** Feeds text whole and byte by byte; the two must agree before either is looked at. */
function read(text: string | Uint8Array, limits = DEFAULT_LIMITS) {
  const bytes = typeof text === 'string' ? bytesOf(text) : text;
  const [whole, bytewise] = [[bytes], byteByByte(bytes)].map((chunks) => {
    const framing = new Framing(limits);
    const frames = [...[...chunks].flatMap((chunk) => framing.push(chunk)), ...framing.end()];
    return {
      values: frames.map(({ value }) => value),
      names: frames.map(({ event }) => event),
      ignored: framing.ignored,
      fault: framing.fault?.details,
      code: framing.fault?.code,
    };
  });
  expect(bytewise).toEqual(whole);
  if (bytes.length < 300) for (let cut = 0; cut <= bytes.length; cut++) expectResumable(bytes, cut, limits);
  if (whole === undefined) throw new Error('nothing was read');
  return whole;
}

/** Broken off after `cut` bytes, it goes on where it says that it has read to, and no object is lost or comes twice. */
function expectResumable(bytes: Uint8Array, cut: number, limits: IngestLimits): void {
  const whole = new Framing(limits);
  const expected = [...whole.push(bytes), ...whole.end()];
  const first = new Framing(limits);
  const before = first.push(bytes.subarray(0, cut));
  if (first.fault !== undefined) return;
  expect(first.offset).toBeLessThanOrEqual(cut);
  const saved: SavedFraming = JSON.parse(JSON.stringify(first.save()));
  const second = new Framing(limits, { offset: first.offset, saved });
  const after = [...second.push(bytes.subarray(first.offset)), ...second.end()];
  expect([...before, ...after]).toEqual(expected);
}

const A = '{"a":1}';
const B = '{"b":2}';
const BOTH = [{ a: 1 }, { b: 2 }];

describe('server-sent events', () => {
  test.each([
    ['with LF', `data: ${A}\n\ndata: ${B}\n\n`],
    ['with CRLF', `data: ${A}\r\n\r\ndata: ${B}\r\n\r\n`],
    ['with bare CR', `data: ${A}\r\rdata: ${B}\r\r`],
    ['with line ends mixed', `data: ${A}\r\n\ndata: ${B}\n\r`],
    ['after a byte order mark', `\uFEFFdata: ${A}\n\ndata: ${B}\n\n`],
    ['after blank lines', `\n\n \n data: ${A}\n\ndata: ${B}\n\n`],
    ['with comments', `: hello\n\ndata: ${A}\n: between\n\n:\n\ndata: ${B}\n\n: bye\n`],
    ['without a space after the colon', `data:${A}\n\ndata:${B}\n\n`],
    [
      'with id, retry and unknown fields',
      `id: 1\nretry: 10\ndata: ${A}\nid: 2\n\nfoo: bar\ndata: ${B}\nfoo\n\n`,
    ],
    ['with blanks after the last brace', `data: ${A}   \n\ndata: ${B}\t \n\n`],
    ['with blank lines between', `data: ${A}\n\n\n\n\ndata: ${B}\n\n\n`],
    ['with [DONE] at the end', `data: ${A}\n\ndata: ${B}\n\ndata: [DONE]\n\n`],
    ['with an empty data line', `data: ${A}\n\ndata:\n\ndata\n\ndata: ${B}\n\n`],
    [
      'with one object over several data lines ended by CRLF',
      `data: {\r\ndata: "a":1}\r\n\r\ndata: ${B}\r\n\r\n`,
    ],
    ['with one object over several data lines', 'data: {"a":\ndata: 1}\n\ndata: {\ndata:"b"\ndata: :2}\n\n'],
  ])('are read %s', (_, text) => {
    const { values, ignored } = read(text);
    expect(values).toEqual(BOTH);
    expect(ignored).toEqual({});
  });

  test('keep the name of each event, and none for the next', () => {
    expect(read(`event: first\ndata: ${A}\n\ndata: ${B}\n\n`).names).toEqual(['first', undefined]);
  });

  test('join several data lines by a line feed', () => {
    expect(read('data: {"a":"x\ndata: y"}\n\n').ignored).toEqual({ truncated: 1 });
  });

  test.each([
    ['an event without its blank line', `data: ${A}\n\ndata: ${B}\n`],
    ['an event cut in its data line', `data: ${A}\n\ndata: {"b`],
    ['an event cut behind its name', `data: ${A}\n\nevent: b\n`],
  ])('drop %s and count it as cut off', (_, text) => {
    const { values, ignored } = read(text);
    expect(values).toEqual([{ a: 1 }]);
    expect(ignored).toEqual({ cut_off: 1 });
  });

  test('do not take an unfinished comment for a cut', () => {
    expect(read(`data: ${A}\n\n: keep-al`).ignored).toEqual({});
  });

  test('count what is no object', () => {
    const { values, ignored } = read(`data: ${A}\n\ndata: hello\n\ndata: {"b\n\ndata: 1\n\ndata: [1]\n\n`);
    expect(values).toEqual([{ a: 1 }]);
    expect(ignored).toEqual({ noise: 3, truncated: 1 });
  });
});

describe('JSON lines', () => {
  test.each([
    ['with LF', `${A}\n${B}\n`],
    ['with CRLF', `${A}\r\n${B}\r\n`],
    ['after a byte order mark', `\uFEFF${A}\n${B}\n`],
    ['with blank lines', `\n\n${A}\n\n  \n${B}\n\n`],
    ['without a last line end', `${A}\n${B}`],
    ['with blanks around', `  ${A}  \n\t${B}`],
  ])('are read %s', (_, text) => {
    const { values, ignored } = read(text);
    expect(values).toEqual(BOTH);
    expect(ignored).toEqual({});
  });

  test.each([
    ['noise before', `npm warn something\n${A}\n${B}`, { noise: 1 }],
    ['a log line in brackets before', `[info] starting\n${A}\n${B}`, { noise: 1 }],
    ['a line that begins like a field of SSE', `database up\n${A}\n${B}`, { noise: 1 }],
    ['noise between', `${A}\nhello\n42\nnull\n[1]\n${B}`, { noise: 4 }],
    ['a truncated line between', `${A}\n{"x":"y\n${B}`, { truncated: 1 }],
    ['a truncated last line', `${A}\n${B}\n{"x":`, { truncated: 1 }],
  ])('count %s', (_, text, ignored) => {
    const got = read(text);
    expect(got.values).toEqual(BOTH);
    expect(got.ignored).toEqual(ignored);
  });
});

describe('a JSON array', () => {
  test.each([
    ['on one line', `[${A},${B}]`],
    ['on many lines', `\uFEFF[\n  ${A},\n  ${B}\n]\n`],
    ['with a comma too many', `[${A},${B},]`],
    ['pretty-printed', '[\n  {\n    "a": 1\n  },\n  {\n    "b": 2\n  }\n]'],
  ])('is read %s', (_, text) => {
    const { values, ignored } = read(text);
    expect(values).toEqual(BOTH);
    expect(ignored).toEqual({});
  });

  test('may hold brackets, quotes and commas in its strings', () => {
    const value = { s: 'a]}"\\,[{', nested: [{ deep: ['"', '\\'] }] };
    expect(read(JSON.stringify([value, value])).values).toEqual([value, value]);
  });

  test('may be empty', () => {
    expect(read('[ ]')).toMatchObject({ values: [], ignored: {} });
  });

  test('that breaks off keeps its whole elements', () => {
    expect(read(`[${A},{"b":`)).toMatchObject({ values: [{ a: 1 }], ignored: { cut_off: 1 } });
  });

  test('counts elements that are no objects, and what follows it', () => {
    expect(read(`[${A},1,"x,y",]}] more noise`)).toMatchObject({
      values: [{ a: 1 }],
      ignored: { noise: 3 },
    });
  });
});

describe('objects over several lines each', () => {
  const pretty = (...values: object[]) => values.map((value) => JSON.stringify(value, null, 2));

  test.each([
    ['one after another', pretty(...BOTH).join('\n')],
    ['without anything between them', pretty(...BOTH).join('')],
    [
      'with CRLF, blanks and a byte order mark',
      `\uFEFF\r\n${pretty(...BOTH)
        .join('\r\n \r\n')
        .replace('{', '{ \r')}\r\n`,
    ],
    ['and others on one line', `${pretty({ a: 1 }).join('')}\n${B}\n`],
  ])('are read %s', (_, text) => {
    expect(read(text)).toMatchObject({ values: BOTH, ignored: {} });
  });

  test('may hold braces and quotes in their strings', () => {
    const value = { s: '}{"\\', nested: { deep: ['}', '\\'] } };
    expect(read(pretty(value, value).join('\n')).values).toEqual([value, value]);
  });

  test('are counted where they are none', () => {
    expect(read(`{\n"a":1}\n]\n{"b": }\n${B}\n{ "c"`)).toMatchObject({
      values: [{ a: 1 }, { b: 2 }],
      ignored: { noise: 1, truncated: 1 },
    });
  });
});

describe('any shape', () => {
  test.each(['', '  \n ', '\uFEFF', '{', '{  ', '{ \n', '[', '[  ', 'da', 'data', 'event'])(
    '%j alone holds nothing',
    (text) => {
      expect(read(text).values).toEqual([]);
    },
  );

  test('bytes that are no UTF-8 become U+FFFD', () => {
    const bytes = Uint8Array.from([...bytesOf('{"a":"'), 0xff, 0xc3, ...bytesOf('"}')]);
    expect(read(bytes).values).toEqual([{ a: '\uFFFD\uFFFD' }]);
  });

  test('keys such as __proto__ stay keys', () => {
    const [value] = read('{"__proto__":{"type":"x"}}').values;
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(value?.type).toBeUndefined();
  });

  test('the same objects come out however the bytes are cut', () => {
    const text = fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }) }), { minLength: 1 });
    const shapes = [
      (values: object[]) => values.map((value) => `${JSON.stringify(value)}\r\n`).join(''),
      (values: object[]) =>
        values.map((value) => `event: x\r\ndata: ${JSON.stringify(value)}\r\n\r\n`).join(''),
      (values: object[]) => JSON.stringify(values, null, 1),
      (values: object[]) => values.map((value) => JSON.stringify(value, null, 1)).join('\n'),
    ];
    fc.assert(
      fc.property(text, fc.constantFrom(...shapes), fc.array(fc.nat()), (values, write, cuts) => {
        const bytes = bytesOf(write(values));
        const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        const framing = new Framing();
        const frames = places.flatMap((at, n) => framing.push(bytes.subarray(places[n - 1] ?? 0, at)));
        expect([...frames, ...framing.end()].map(({ value }) => value)).toEqual(values);
      }),
    );
  });
});

describe('limits', () => {
  const long = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`;
  const limits = { ...DEFAULT_LIMITS, lineBytes: 100 };

  test.each([
    ['a JSON line', (json: string) => `${A}\n${json}\n${B}`],
    ['an event', (json: string) => `data: ${A}\n\ndata:${json}\n\ndata: ${B}\n\n`],
    ['an element', (json: string) => `[${A},${json},${B}]`],
    ['an object', (json: string) => `{\n"a":1}\n${json}\n${B}`],
  ])('%s as long as allowed is read, a longer one ends the stream', (_, write) => {
    // A line of SSE counts with its name, its data with a line end.
    const fits = read(write(long(94)), limits);
    expect(fits.values).toHaveLength(3);
    expect(fits.code).toBeUndefined();
    const over = read(write(long(120)), limits);
    expect(over.values).toEqual([{ a: 1 }]);
    expect(over).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', fault: { limit: 'lineBytes', max: 100 } });
  });

  test('a line is measured in bytes, and an unfinished one too', () => {
    expect(read(`{"a":"${'é'.repeat(60)}`, limits)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('many short data lines of one event count together', () => {
    expect(read('data: 1234567890\n'.repeat(20), limits)).toMatchObject({ fault: { limit: 'lineBytes' } });
  });

  test('blanks behind a first bracket are not kept while they decide nothing', () => {
    const framing = new Framing(limits);
    for (let n = 0; n < 1_000; n++) framing.push(bytesOf(n === 0 ? '[' : '    '));
    expect(framing.push(bytesOf(`info]\n${A}\n${B}\n`))).toHaveLength(2);
    expect(framing.fault).toBeUndefined();
    const braced = new Framing(limits);
    for (let n = 0; n < 1_000; n++) braced.push(bytesOf(n === 0 ? '{' : '    '));
    expect(braced.push(bytesOf(`"a":1}\n${B}\n`))).toHaveLength(2);
  });

  test('JSON that nests too deep ends the stream before it is parsed', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(100)).values).toHaveLength(1);
    expect(read(`${A}\n${nested(101)}\n${B}`)).toMatchObject({
      values: [{ a: 1 }],
      code: 'BAD_USER_INPUT',
      fault: { limit: 'jsonDepth', max: 100 },
    });
    expect(read(`{"a":${JSON.stringify('['.repeat(500))}}`).values).toHaveLength(1);
    expect(read('['.repeat(1_000_000)).code).toBeUndefined();
  });

  test('nothing is read after a fault', () => {
    const framing = new Framing(limits);
    framing.push(bytesOf(long(200)));
    expect(framing.fault).toBeDefined();
    expect(framing.push(bytesOf(`\n${A}\n`))).toEqual([]);
    expect(framing.end()).toEqual([]);
  });
});
