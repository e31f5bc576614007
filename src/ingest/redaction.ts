import type { z } from 'zod';
import { type artifactContent, isOutputKind } from '../artifacts/content.js';
import type { EventInput } from '../events/content.js';
import { MAX_TEXT } from '../parse.js';
import { countAt, isObject, type JsonObject, listAt, stringAt, valueAt } from './json.js';
import { publicText } from './public-text.js';
import { type Asking, type Delivering, type ToolTitle, type ToolTitles, UNKNOWN_TOOL } from './titles.js';

/*
 * The one place that decides what a tool call may show (P10): a title that we wrote, the corpus and query of a search, the name, type
 * and size of a file that it delivered, and what the title map says that it asks or delivers. Names, arguments, results and paths go in
 * here and no further.
 */

/** Counters and times are not told. */
export interface PublicSearch {
  readonly source: string;
  readonly query: string;
}

const MAX_QUERY = 65_536;

/** The title of a tool's activity, and whether it searches. */
export const publicTool = (titles: ToolTitles, name: string): ToolTitle => titles.get(name) ?? UNKNOWN_TOOL;

/** The searches that a tool's input asks for, at the place that the map names, or in its `query` or `queries`; none unless it searches. */
export function publicSearches(
  { searches, query }: Pick<ToolTitle, 'searches' | 'query'>,
  input: JsonObject,
): PublicSearch[] {
  if (searches === undefined) return [];
  const asked =
    query === undefined ? [input.query, ...listAt(input, 'queries')] : [valueAt(input, query)].flat();
  return asked
    .filter((query) => typeof query === 'string')
    .map((query) => ({ source: searches, query: publicText(query, MAX_QUERY) }))
    .filter(({ query }) => query.trim() !== '');
}

export type PublicFile = Omit<z.input<typeof artifactContent>, 'artifactId' | 'kind'>;

/** A delivered file as far as it is known. `ordinal` names a file that came without a name. */
export function publicFile(file: JsonObject, ordinal: number): PublicFile {
  const filename = baseName(stringAt(file, 'filename') ?? stringAt(file, 'file_name') ?? '');
  const format = /\.([A-Za-z0-9]{1,20})$/.exec(filename)?.[1]?.toLowerCase();
  const contentType = stringAt(file, 'mime_type') ?? stringAt(file, 'media_type');
  const sizeBytes = countAt(file, 'size_bytes');
  return {
    filename: filename === '' ? `file-${ordinal}` : filename,
    ...(format !== undefined && { format }),
    ...(contentType !== undefined && { contentType: publicText(contentType, 256) }),
    ...(sizeBytes !== undefined && { sizeBytes }),
  };
}

type Question = Extract<EventInput, { kind: 'question' }>;

export type PublicQuestion = Pick<Question, 'text' | 'responseFormat' | 'options'>;

const MAX_QUESTIONS = 100;
const MAX_OPTIONS = 500;
const MAX_LABEL = 4_096;

/** What a tool's input asks the user, by the map. */
export function publicQuestions({ asks }: ToolTitle, input: JsonObject): PublicQuestion[] {
  if (asks === undefined) return [];
  const given = asks.each === undefined ? [input] : [valueAt(input, asks.each)].flat();
  return given
    .filter(isObject)
    .slice(0, MAX_QUESTIONS)
    .map((one) => publicQuestion(asks, one))
    .filter(({ text }) => text.trim() !== '');
}

function publicQuestion(asks: Asking, given: JsonObject): PublicQuestion {
  const text = publicText(textOf(valueAt(given, asks.text)), MAX_TEXT);
  const labels = asks.options === undefined ? [] : [valueAt(given, asks.options)].flat().map(labelOf);
  const options = labels
    .filter((label) => label.trim() !== '')
    .slice(0, MAX_OPTIONS)
    .map((label, at) => ({ optionId: `option_${at + 1}`, label: publicText(label, MAX_LABEL) }));
  if (options.length === 0) return { text, responseFormat: 'TEXT' };
  const isMultiple = asks.multiple !== undefined && valueAt(given, asks.multiple) === true;
  return { text, responseFormat: isMultiple ? 'MULTI_SELECT' : 'SINGLE_SELECT', options };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of a choice that is an object, the label under the names that are in use. */
const labelOf = (option: unknown): string =>
  isObject(option) ? textOf(option.label ?? option.title ?? option.text ?? option.value) : textOf(option);

export type PublicDelivery =
  | (PublicFile & { readonly kind: z.input<typeof artifactContent>['kind'] })
  | Omit<Extract<EventInput, { kind: 'delivered_outputs' }>['deliveredOutputs'][number], 'artifactId'>;

/** What the data delivers, by the map. `ordinal` names a file that came without a name. */
export function publicDelivery(delivers: Delivering, data: JsonObject, ordinal: number): PublicDelivery {
  const { kind } = delivers;
  const at = (place: string | undefined): unknown => (place === undefined ? undefined : valueAt(data, place));
  if (!isOutputKind(kind)) {
    const file = { filename: at(delivers.name), mime_type: at(delivers.type), size_bytes: at(delivers.size) };
    return { kind, ...publicFile(file, ordinal) };
  }
  const caption = textOf(at(delivers.caption));
  const rowCount = countOf(at(delivers.rows));
  return {
    kind,
    title: publicText(textOf(at(delivers.name)), MAX_LABEL),
    ...(caption !== '' && { caption: publicText(caption, MAX_CAPTION) }),
    ...(rowCount !== undefined && { rowCount }),
  };
}

const MAX_CAPTION = 65_536;

/** A number of rows, or the rows themselves. */
function countOf(value: unknown): number | undefined {
  const count = Array.isArray(value) ? value.length : value;
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count < 2 ** 31
    ? count
    : undefined;
}

/** What the map's data is called by, where it says so: never told, for it may be a path. */
export function nameOfDelivery(delivers: Delivering, data: JsonObject): string | undefined {
  const place = delivers.id ?? (isOutputKind(delivers.kind) ? undefined : delivers.name);
  const value = place === undefined ? undefined : valueAt(data, place);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The last part of a path: where a sandbox keeps its files is private. */
const baseName = (path: string): string => publicText(path.split(/[/\\]/).at(-1) ?? '', 1_024).trim();

/** A model's text with the files that it links by their place in a sandbox called by their names. */
export const withoutSandboxPaths = (text: string): string =>
  text.replace(/\bsandbox:\/[^\s()[\]<>"]*/g, (path) => baseName(path));
