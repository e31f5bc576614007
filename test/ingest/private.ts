import { isObject, type JsonObject } from '../../src/ingest/json.js';
import type { Said } from './redaction.js';

/*
 * What a stream says in public, told by the names of its fields alone, so that it holds for every format, also for one that is yet to be
 * written: whoever reads a field that is not listed here has to list it, and to say why it may be shown.
 */

/** Words of the agent and its user, wherever they are not those of a tool or of thinking. */
const WORDS = new Set(['text', 'delta', 'content', 'result']);

/** The fields that P10 excepts: they are shown on purpose, also those of tools. */
export const EXCEPTED: ReadonlyMap<string, string> = new Map([
  ['query', 'what a search looked for'],
  ['queries', 'the same, several'],
  ['title', 'the title of a source'],
  ['document_title', 'the same'],
  ['url', 'the address of a source'],
  ['source', 'the same'],
  ['cited_text', 'the quote of a citation'],
  ['filename', 'a file that was delivered, or is cited'],
  ['file_name', 'the same'],
  ['mediaType', 'the type of a file that was delivered'],
  ['mimeType', 'the same'],
  ['mime_type', 'the same'],
  ['media_type', 'the same'],
  ['question', 'a question that its tool is configured to ask'],
  ['label', 'a choice of such a question'],
  ['timestamp', 'when a line was written'],
]);

/** What a run that waits for its user says: a question, and what may be answered. */
const ASKING = new Set(['message', 'enum', 'title', 'description', 'const']);
const ASKING_FIELDS = new Set(['interrupts', 'interrupt', 'outcome']);

/** What is inside is nobody's business, but for what is excepted. */
const PRIVATE =
  /tool|function|mcp|shell|computer|interpreter|patch|search_call|reason|think|redacted|custom/i;

/** By field, in their order, for they may come in pieces. */
interface Strings {
  readonly shown: Map<string, string[]>;
  readonly hidden: Map<string, string[]>;
}

type Inside = 'anything' | 'private' | 'question';

function sort(value: unknown, key: string, inside: Inside, into: Strings): void {
  if (typeof value === 'string') {
    const of = isShown(key, inside) ? into.shown : into.hidden;
    of.set(key, [...(of.get(key) ?? []), value]);
  } else if (Array.isArray(value)) for (const item of value) sort(item, key, inside, into);
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) sort(inner, name, insideOf(value, name, inside), into);
  }
}

function isShown(key: string, inside: Inside): boolean {
  if (EXCEPTED.has(key)) return true;
  return inside === 'question' ? ASKING.has(key) : inside === 'anything' && WORDS.has(key);
}

function insideOf(object: JsonObject, name: string, inside: Inside): Inside {
  if (ASKING_FIELDS.has(name) || inside === 'question') return 'question';
  const isPrivate = PRIVATE_FIELDS.has(name) || [object.type, object.role, object.event].some(isPrivateName);
  return isPrivate ? 'private' : inside;
}

const isPrivateName = (name: unknown): boolean => typeof name === 'string' && PRIVATE.test(name);
const PRIVATE_FIELDS = new Set([
  'input',
  'arguments',
  'args',
  'output',
  'thinking',
  'reasoning',
  'tool_use_result',
  'toolUseResult',
  'errorText',
]);

/** What these objects say in public, and what they say in pieces and in JSON of their own. */
export function saidIn(objects: readonly JsonObject[]): Said {
  const into: Strings = { shown: new Map(), hidden: new Map() };
  for (const object of objects) sort(object, '', 'anything', into);
  const hidden = joined(into.hidden);
  const quoted = hidden.flatMap((text) => text.match(/"(?:[^"\\]|\\.){6,2000}"/g) ?? []).map(unquoted);
  return {
    shown: [...joined(into.shown), ...[...into.shown.values()].flat(), ...exceptedIn(hidden)],
    hidden: [...hidden, ...quoted],
  };
}

const joined = (strings: ReadonlyMap<string, readonly string[]>): string[] =>
  [...strings.values()].map((pieces) => pieces.join(''));

/** Excepted fields of the JSON that comes in pieces. */
const exceptedIn = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => [...text.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/g)])
    .flatMap(([, key = '', value = '']) => (EXCEPTED.has(key) ? [unquoted(value)] : []));

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}
