import { describe, expect, test } from 'vitest';
import type { EventInput } from '../../src/events/content.js';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../src/ingest/json.js';
import { ownRecordings, type Recording, sharedRecordings } from './recordings.js';
import { framesOf, ingest } from './streams.js';

/*
 * P10 over all recordings: no string of six characters or more that occurs in a tool's name, arguments or results, in thinking,
 * in a sandbox path, an upstream id or an upstream error comes out of any event. Excepted is what is public text anyway, and
 * the fields that INGEST maps on purpose: a search's query, a citation's quote and its source's fields, a file's name and type.
 */

const MIN_LENGTH = 6;
const EXCEPTED_CITATION_FIELDS = ['cited_text', 'title', 'url', 'source', 'document_title'];
const UPSTREAM_IDS = ['id', 'tool_use_id', 'request_id', 'file_id', 'model', 'encrypted_index'];

interface Strings {
  readonly hidden: Set<string>;
  /** Public text, joined block by block, and the values of excepted fields. */
  readonly shown: string[];
}

/** All strings in a value, keys too. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]) : [];
}

/** A text as a whole, its lines, and the paths in it. */
const piecesOf = (text: string): string[] => [
  text,
  ...text.split('\n').map((line) => line.trim()),
  ...(text.match(/(?:\/[\w.$-]+)+/g) ?? []),
];

/** What the deltas and the beginning of each block add up to, by kind of delta. */
function joinedBlocks(objects: readonly JsonObject[]): { block: JsonObject; texts: Map<string, string> }[] {
  const blocks: { block: JsonObject; texts: Map<string, string> }[] = [];
  const open = new Map<unknown, Map<string, string>>();
  for (const object of objects) {
    const block = objectAt(object, 'content_block');
    if (block !== undefined) {
      const texts = new Map<string, string>();
      open.set(object.index, texts);
      blocks.push({ block, texts });
    }
    const delta = objectAt(object, 'delta');
    const texts = open.get(object.index);
    if (object.type !== 'content_block_delta' || delta === undefined || texts === undefined) continue;
    for (const [key, piece] of Object.entries(delta)) {
      if (key !== 'type' && typeof piece === 'string') texts.set(key, (texts.get(key) ?? '') + piece);
    }
  }
  return blocks;
}

function sort(objects: readonly JsonObject[]): Strings {
  const hidden: string[] = [];
  const shown: string[] = [];
  for (const { block, texts } of joinedBlocks(objects)) {
    const { type, text, ...rest } = block;
    for (const [key, value] of texts) (key === 'text' ? shown : hidden).push(value);
    if (typeof text === 'string') shown.push(text);
    if (type === 'text') continue;
    hidden.push(...stringsIn(rest));
    if (block.name === 'web_search') shown.push(...queriesOf(texts.get('partial_json')));
    if (type === 'bash_code_execution_tool_result') shown.push(...fileFields(objectAt(block, 'content')));
  }
  for (const object of objects) {
    const citation = objectAt(objectAt(object, 'delta') ?? {}, 'citation') ?? {};
    shown.push(...EXCEPTED_CITATION_FIELDS.flatMap((field) => stringAt(citation, field) ?? []));
    for (const holder of [object, objectAt(object, 'message') ?? {}, citation]) {
      hidden.push(...UPSTREAM_IDS.flatMap((field) => stringAt(holder, field) ?? []));
    }
    hidden.push(...stringsIn(object.error), ...stringsIn(objectAt(object, 'delta')?.stop_details));
  }
  const pieces = hidden.flatMap(piecesOf).filter((piece) => piece.length >= MIN_LENGTH);
  return { hidden: new Set(pieces), shown };
}

function queriesOf(json = '{}'): string[] {
  const input: unknown = JSON.parse(json);
  return isObject(input) ? [stringAt(input, 'query') ?? ''] : [];
}

/** A file's name and type. */
const fileFields = (content: JsonObject | undefined): string[] =>
  listAt(content ?? {}, 'content')
    .filter(isObject)
    .flatMap((file) => [
      stringAt(file, 'filename')?.split('/').at(-1) ?? '',
      stringAt(file, 'mime_type') ?? '',
    ]);

/** Values only: the names of fields, kinds and states are ours. */
const valuesOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(valuesOf) : [];
};
const emittedBy = (events: readonly EventInput[]) =>
  events.map(({ kind: _, ...said }) => said).flatMap(valuesOf);

function leaks({ bytes }: Recording): { checked: number; leaked: string[] } {
  const { hidden, shown } = sort(framesOf(bytes).map(({ value }) => value));
  const emitted = emittedBy(ingest([bytes]).events);
  const secrets = [...hidden].filter((secret) => !shown.some((text) => text.includes(secret)));
  return {
    checked: secrets.length,
    leaked: secrets.filter((secret) => emitted.some((text) => text.includes(secret))),
  };
}

describe.each([...ownRecordings(), ...sharedRecordings()])('of $name', (recording) => {
  test('nothing private comes out', () => {
    const { checked, leaked } = leaks(recording);
    expect(leaked).toEqual([]);
    // Every recording has ids at least; a check of nothing would prove nothing.
    expect(checked).toBeGreaterThan(0);
  });
});

test('of our own recordings names, arguments, results, paths, thinking and errors are looked for', () => {
  const hidden = ownRecordings().flatMap(({ bytes }) => [
    ...sort(framesOf(bytes).map(({ value }) => value)).hidden,
  ]);
  expect(hidden).toEqual(
    expect.arrayContaining([
      'search_reading_list',
      'web_fetch',
      '/tmp/workspace/tabulate.py',
      '/tmp/outputs/cooling-by-canopy.csv',
      'read 48 rows from /tmp/inputs/canopy.json',
      'Overloaded (node 7, /srv/models/pool-3)',
      expect.stringContaining('I want measured winters'),
      expect.stringContaining('An invented page'),
    ]),
  );
});
