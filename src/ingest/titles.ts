import { z } from 'zod';
import { badUserInput } from '../errors.js';
import { parse, text } from '../parse.js';
import { parseJson } from './json.js';

/** What may be told of a tool: the title of its activity and, if it searches, what it searches ("web", "pubmed", …). */
export interface ToolTitle {
  readonly title: string;
  readonly searches?: string | undefined;
}

/** By a tool's name as the stream gives it. A `Map`, since the names are the stream's. */
export type ToolTitles = ReadonlyMap<string, ToolTitle>;

/** Shown for every tool that has no title of its own. */
export const UNKNOWN_TOOL: ToolTitle = { title: 'Working' };

const DEFAULTS: readonly (readonly [string, ToolTitle])[] = [
  ['web_search', { title: 'Searching the web', searches: 'web' }],
  ['web_fetch', { title: 'Reading a page' }],
  ['code_execution', { title: 'Running code' }],
  ['bash_code_execution', { title: 'Running code' }],
  ['text_editor_code_execution', { title: 'Writing code' }],
  ['bash', { title: 'Running code' }],
  ['str_replace_editor', { title: 'Editing a file' }],
  ['str_replace_based_edit_tool', { title: 'Editing a file' }],
  ['memory', { title: 'Consulting notes' }],
  ['tool_search', { title: 'Choosing how to go on' }],
  ['tool_search_tool_bm25', { title: 'Choosing how to go on' }],
  ['tool_search_tool_regex', { title: 'Choosing how to go on' }],
  ['advisor', { title: 'Asking for advice' }],
  ['file_search', { title: 'Looking through files', searches: 'files' }],
  ['code_interpreter', { title: 'Running code' }],
  ['shell', { title: 'Running code' }],
  ['local_shell', { title: 'Running code' }],
  ['apply_patch', { title: 'Editing a file' }],
  ['computer', { title: 'Working on a screen' }],
  ['image_generation', { title: 'Making a picture' }],
];

export const DEFAULT_TITLES: ToolTitles = new Map(DEFAULTS);

const MAX_TOOLS = 10_000;
const title = text(200, 1);
const entry = z.union([title, z.strictObject({ title, searches: text(200, 1).optional() })]);

/**
 * Reads TIDINGS_TITLES, a JSON object of tool name → title, or → `{"title": …, "searches": "pubmed"}` for a tool that searches.
 * It adds to the defaults and overrides them. BAD_USER_INPUT names the tool whose title is not understood.
 */
export function parseTitles(json: string): ToolTitles {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badUserInput('TIDINGS_TITLES: expected a JSON object of tool name to title, got something else.');
  }
  const named = Object.entries(value);
  if (named.length > MAX_TOOLS) {
    throw badUserInput(`TIDINGS_TITLES: expected at most ${MAX_TOOLS} tools, got ${named.length}.`);
  }
  return new Map([...DEFAULTS, ...named.map(([tool, given]) => [tool, parseEntry(tool, given)] as const)]);
}

function parseEntry(tool: string, given: unknown): ToolTitle {
  const parsed = parse(entry, given, `TIDINGS_TITLES["${tool}"]`);
  return typeof parsed === 'string' ? { title: parsed } : parsed;
}
