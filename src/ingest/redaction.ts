import type { z } from 'zod';
import type { artifactContent } from '../artifacts/content.js';
import { countAt, type JsonObject, listAt, stringAt } from './json.js';
import { publicText } from './public-text.js';
import { type ToolTitle, type ToolTitles, UNKNOWN_TOOL } from './titles.js';

/*
 * The one place that decides what a tool call may show (P10): a title that we wrote, the corpus and query of a search, and
 * the name, type and size of a file that it delivered. Names, arguments, results and paths go in here and no further.
 */

/** Counters and times are not told. */
export interface PublicSearch {
  readonly source: string;
  readonly query: string;
}

const MAX_QUERY = 65_536;

/** The title of a tool's activity, and whether it searches. */
export const publicTool = (titles: ToolTitles, name: string): ToolTitle => titles.get(name) ?? UNKNOWN_TOOL;

/** The searches that a tool's input asks for: its `query`, or each of its `queries`; none unless the tool is known to search. */
export function publicSearches({ searches }: ToolTitle, input: JsonObject): PublicSearch[] {
  if (searches === undefined) return [];
  return [input.query, ...listAt(input, 'queries')]
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

/** The last part of a path: where a sandbox keeps its files is private. */
const baseName = (path: string): string => publicText(path.split(/[/\\]/).at(-1) ?? '', 1_024).trim();

/** A model's text with the files that it links by their place in a sandbox called by their names. */
export const withoutSandboxPaths = (text: string): string =>
  text.replace(/\bsandbox:\/[^\s()[\]<>"]*/g, (path) => baseName(path));
