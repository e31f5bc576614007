import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant, parseInstant, parseLenientInstant } from '../src/instant.js';

const isoOf = (read: Date | string | null) => (read instanceof Date ? read.toISOString() : read);

const two = (value: number) => String(value).padStart(2, '0');
const year = (value: number) => String(value).padStart(4, '0');

/** An offset as minutes ahead of UTC, and as text. */
const offsets = fc
  .integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 })
  .map((minutes) => ({ minutes, text: offsetText(minutes) }));

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Proleptic Gregorian, by its rule and not by `Date`. */
function daysIn(ofYear: number, month: number): number {
  if (month === 2) return (ofYear % 4 === 0 && ofYear % 100 !== 0) || ofYear % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

describe('an instant', () => {
  it('is the same however its offset and its digits are written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: FIRST, max: LAST }),
        offsets,
        fc.stringMatching(/^\d{0,12}$/),
        (time, offset, finer) => {
          const local = new Date(time + offset.minutes * 60_000).toISOString();
          fc.pre(local.length === 24);
          const text = `${local.slice(0, -1)}${finer}${offset.text}`;
          expect(isoOf(parseInstant(text))).toBe(new Date(time).toISOString());
          expect(isoOf(parseLenientInstant(text))).toBe(new Date(time).toISOString());
        },
      ),
    );
  });

  it('is a date of the calendar at a time of the clock, or refused', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(part(9_999), part(13), part(32), part(25), part(61), part(61), (y, mo, d, h, mi, s) => {
        const text = `${year(y)}-${two(mo)}-${two(d)}T${two(h)}:${two(mi)}:${two(s)}Z`;
        const real =
          y >= 1 && mo >= 1 && mo <= 12 && d >= 1 && d <= daysIn(y, mo) && h <= 23 && mi <= 59 && s <= 59;
        expect(parseInstant(text) instanceof Date).toBe(real);
        if (real) expect(isoOf(parseInstant(text))).toBe(text.replace('Z', '.000Z'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('lies within the years 0001 to 9999, or is refused, whatever the text', () => {
    const almost = fc.stringMatching(
      /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,5})?(Z|[+-][0-9]{2}:[0-9]{2})$/,
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.string({ unit: 'binary' }), fc.date().map(String)), (text) => {
        const strict = parseInstant(text);
        const lenient = parseLenientInstant(text);
        if (lenient !== null) {
          expect(lenient.getTime()).toBeGreaterThanOrEqual(FIRST);
          expect(lenient.getTime()).toBeLessThanOrEqual(LAST);
        }
        // Whatever the strict door takes, the lenient one understands alike.
        expect(strict instanceof Date ? strict : null).toEqual(strict instanceof Date ? lenient : null);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
    ['2024-02-29t09:00:00z', '2024-02-29T09:00:00.000Z'],
    ['2026-07-30T12:00:00-00:00', '2026-07-30T12:00:00.000Z'],
  ])('takes %s', (text, expected) => expect(isoOf(parseInstant(text))).toBe(expected));

  it.each([
    ['0001-01-01T00:00:00+00:01', /^expected an instant from 0001-01-01.* to 9999-12-31/],
    ['9999-12-31T23:59:59-14:00', /^expected an instant from 0001-01-01/],
    ['0000-06-01T00:00:00Z', /^expected an instant from 0001-01-01/],
    ['2026-02-30T00:00:00Z', /^expected a date of the calendar/],
    ['2025-02-29T00:00:00Z', /^expected a date of the calendar/],
    ['2026-07-30T24:00:00Z', /^expected a date of the calendar, a time up to 23:59:59/],
    ['2026-07-30T12:00:00+24:00', /an offset up to 23:59/],
    ['2026-07-30T12:00:00+01:60', /an offset up to 23:59/],
    ['2016-12-31T23:59:60Z', /^expected a second up to 59: leap seconds cannot be kept/],
    ['2026-07-30T12:00:00', /^expected an RFC 3339 instant with Z or an offset/],
    ['2026-07-30 12:00:00Z', /^expected an RFC 3339 instant/],
    ['2026-07-30T12:00:00.Z', /^expected an RFC 3339 instant/],
    ['+010000-01-01T00:00:00Z', /^expected an RFC 3339 instant/],
    ['banana', /^expected an RFC 3339 instant [^,]*, such as [^,]*$/],
    ['9'.repeat(1_000_000), /^.{1,100}$/],
  ])('refuses %.40s', (text, message) => expect(parseInstant(text)).toMatch(message));
});

describe('an instant as people write one', () => {
  it.each([
    ['2026-07-31', '2026-07-31T00:00:00.000Z'],
    ['2026-07-31T09:00', '2026-07-31T09:00:00.000Z'],
    ['2026-07-31T09:00:30', '2026-07-31T09:00:30.000Z'],
    ['2026-07-31T09:00:30,5', '2026-07-31T09:00:30.500Z'],
    ['2026-07-31T11:00:00+02:00', '2026-07-31T09:00:00.000Z'],
    ['2026-07-31T11:00+02', '2026-07-31T09:00:00.000Z'],
    ['2026-07-31T09:00:00.123456Z', '2026-07-31T09:00:00.123Z'],
  ])('takes %s', (text, expected) => expect(isoOf(parseLenientInstant(text))).toBe(expected));

  it.each(
    [
      ...['', 'banana', '1', '2026', '2026-07', '20260731', 'July 31, 2026', '+275760-09-13', '2026-02-30'],
      ...['0000-01-01', '9999-12-31T23:59:59-01:00', '2026-07-31Z', '2026-07-31T09', '2026-07-31T09:00.5'],
      ...[
        '2026-07-31T24:00:00',
        '2026-07-31T23:59:60Z',
        '2026-07-31T09:00+0200',
        ' 2026-07-31',
        '2026-07-31\n',
      ],
    ].map((text) => [text]),
  )('does not guess at %j', (text) => expect(parseLenientInstant(text)).toBeNull());
});

describe('an instant at a door of zod', () => {
  it('may be read already, and is held to the same range', () => {
    expect(instant().parse(new Date(LAST)).getTime()).toBe(LAST);
    expect(instant().safeParse(new Date(LAST + 1)).success).toBe(false);
    expect(instant().safeParse(new Date(Number.NaN)).success).toBe(false);
    expect(instant().safeParse(1_000).success).toBe(false);
  });
});
