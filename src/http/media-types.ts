/** What a request's body may be, beside a document as it stands (application/graphql). */
export const ACCEPTED = ['application/json', 'application/graphql+json'] as const;

/** What an answer may be. A single one is JSON unless nothing but an event stream is accepted. */
export const OFFERED = [
  'application/graphql-response+json',
  'application/json',
  'text/event-stream',
] as const;

/** A `Content-Type` without its parameters, in lower case: types are case-insensitive (RFC 9110, 8.3.1). */
export const mediaTypeOf = (header = ''): string => header.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isGraphQLType = (type: string): boolean =>
  type === 'application/graphql' || (ACCEPTED as readonly string[]).includes(type);

/** The ranges of an `Accept` that hold something that is offered; empty if none does. Absent, it accepts everything. */
export function acceptedRanges(header: string | undefined): string {
  const ranges = (header || '*/*').toLowerCase().split(',');
  return ranges.filter((range) => isOffered(mediaTypeOf(range)) && isInUtf8(range)).join(',');
}

const isOffered = (range: string): boolean =>
  range === '*/*' || OFFERED.some((type) => range === type || range === type.replace(/\/.*/, '/*'));

const isInUtf8 = (range: string): boolean => !/;\s*charset=(?!"?utf-8)/.test(range);

/** Whether an `Accept` asks for an event stream by name: a client that does not would not know how to read one. */
export const acceptsEventStream = (header: string | null): boolean =>
  (header ?? '').split(',').some((range) => mediaTypeOf(range) === 'text/event-stream');
