import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { badUserInput, DomainError } from '../errors.js';
import type { Turns } from '../graphql/turns.js';
import { readJson } from '../json.js';
import { isObject } from '../parse.js';
import type { Asking } from './charging.js';
import { ACCEPTED, mediaTypeOf } from './media-types.js';

/** Characters of JSON that are read in a few milliseconds, without waiting for a turn. */
const SMALL = 64 * 1024;

/** What a request asks for is read here, by the rules for all JSON that is sent; the engine would read any. */
export const readingParameters = (turns: Turns): Plugin<Asking, Asking> => ({
  onRequestParse({ request, url, serverContext: { viewer }, setRequestParser }) {
    const read = (text: string) => asParameters(readJson(text, 'body'));
    if (request.method === 'GET') setRequestParser(() => badRequest(() => ofUrl(url.searchParams)));
    if (request.method !== 'POST' || !isJson(request)) return;
    setRequestParser(async () => {
      const text = await request.text();
      const work = () => badRequest(() => read(text));
      return text.length <= SMALL ? work() : turns.take(viewer.credentialId, work);
    });
  },
});

const isJson = ({ headers }: Request): boolean =>
  ACCEPTED.some((type) => type === mediaTypeOf(headers.get('content-type') ?? ''));

function asParameters(value: unknown): GraphQLParams {
  if (isObject(value)) return value;
  throw badUserInput('body: expected a JSON object with one operation, got something else.', {
    path: 'body',
  });
}

/** Absent and empty are the same in a URL. */
function ofUrl(query: URLSearchParams): GraphQLParams {
  const text = (name: string) => query.get(name) || undefined;
  return {
    query: text('query'),
    ...(query.has('documentId') && { documentId: query.get('documentId') }),
    operationName: text('operationName'),
    variables: objectOf(text('variables'), 'variables'),
    extensions: objectOf(text('extensions'), 'extensions'),
  };
}

function objectOf(json: string | undefined, name: string): Record<string, unknown> | undefined {
  const value = json === undefined ? undefined : readJson(json, name);
  if (value === undefined || value === null || isObject(value)) return value ?? undefined;
  throw badUserInput(`${name}: expected a JSON object in the URL's query, got something else.`, {
    path: name,
  });
}

/** A request that cannot be read is a 400 in every media type. */
function badRequest<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { message, code, details } = error;
    throw new GraphQLError(message, { extensions: { ...details, code, http: { status: 400 } } });
  }
}
