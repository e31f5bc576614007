import { z } from 'zod';

const DATE = String.raw`(?<date>\d{4}-\d\d-\d\d)`;
const TIME = String.raw`(?<minute>\d\d:\d\d)`;
const OFFSET = String.raw`Z|[+-]\d\d:\d\d`;

/** RFC 3339, section 5.6: date, time and offset, each of them needed. */
const RFC_3339 = new RegExp(
  String.raw`^${DATE}T${TIME}:(?<second>\d\d)(?:\.(?<fraction>\d+))?(?<offset>${OFFSET})$`,
  'i',
);

/** ISO 8601's extended form: a date, alone or with a time, which may lack its seconds and its offset. */
const ISO_8601 = new RegExp(
  String.raw`^${DATE}(?:T${TIME}(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?<offset>${OFFSET}|[+-]\d\d)?)?$`,
  'i',
);

/** What PostgreSQL and a four-digit year can both hold, in milliseconds since 1970. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const FORM = 'an RFC 3339 instant with Z or an offset, such as 2026-07-30T12:00:00.000Z';
const RANGE = 'an instant from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z in UTC';

/**
 * An instant of RFC 3339. Digits beyond milliseconds are cut, never rounded. For text that is none, not on the calendar or the clock,
 * a leap second, or outside the years 0001 to 9999 in UTC: what was expected, to be shown after where it was.
 */
export function parseInstant(text: string): Date | string {
  const parts = RFC_3339.exec(text)?.groups;
  if (parts === undefined) return `expected ${FORM}`;
  const date = onCalendar(parts);
  if (date === undefined) {
    return parts.second === '60'
      ? 'expected a second up to 59: leap seconds cannot be kept; send the second before or after it'
      : 'expected a date of the calendar, a time up to 23:59:59 and an offset up to 23:59';
  }
  return checked(date);
}

/**
 * An instant of ISO 8601's extended form, as people write one: UTC unless an offset says otherwise, the start of the minute or the day
 * where no more is given, cut to milliseconds. Null for everything else, and what is outside the years 0001 to 9999 in UTC.
 */
export function parseLenientInstant(text: string): Date | null {
  const parts = ISO_8601.exec(text)?.groups;
  const date = parts === undefined ? undefined : onCalendar(parts);
  return date !== undefined && inRange(date) ? date : null;
}

/** An instant at the door: read by a scalar already, or still text. */
export const instant = () =>
  z
    .custom<Date | string>((value) => value instanceof Date || typeof value === 'string', `expected ${FORM}`)
    .transform((value, context): Date => {
      const read = typeof value === 'string' ? parseInstant(value) : checked(value);
      if (read instanceof Date) return read;
      context.addIssue({ code: 'custom', message: read });
      return z.NEVER;
    });

const checked = (date: Date): Date | string => (inRange(date) ? date : `expected ${RANGE}`);

const inRange = (date: Date): boolean => date.getTime() >= FIRST && date.getTime() <= LAST;

/** Undefined for 30 February, 24:00 and their like, which `Date` would roll over: it must give back what it was given. */
function onCalendar(parts: Readonly<Record<string, string | undefined>>): Date | undefined {
  const { date, minute = '00:00', second = '00', fraction = '', offset = 'Z' } = parts;
  const local = `${date}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const read = new Date(local);
  const minutes = minutesOf(offset);
  if (minutes === undefined || read.toJSON() !== local) return undefined;
  return new Date(read.getTime() - minutes * 60_000);
}

/** How far local time is ahead of UTC. */
function minutesOf(offset: string): number | undefined {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
