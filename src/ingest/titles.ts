import { z } from 'zod';
import { ARTIFACT_KINDS, DELIVERED_OUTPUT_KINDS } from '../artifacts/content.js';
import { badUserInput } from '../errors.js';
import { optional, parse, text } from '../parse.js';
import { parseJson } from './json.js';

const line = text(200, 1);
/** Where a value lies in an input: a key, or several with dots between them. */
const place = line;

/** How a tool asks the user. Each place is that of a value in its input. */
const asking = z.strictObject({
  /** Of the question. */
  text: place,
  /** Of a list of choices: texts, or objects with a label. */
  options: optional(place),
  /** Of a boolean: whether several may be chosen. */
  multiple: optional(place),
  /** Of a list of questions: the other places are then those in each of its items. */
  each: optional(place),
});
export type Asking = z.output<typeof asking>;

/** What a tool's input, or data that an application sends beside the agent's words, delivers. Each place is that of a value in it. */
const delivering = z.strictObject({
  kind: z.enum([...ARTIFACT_KINDS, ...DELIVERED_OUTPUT_KINDS]),
  /** Of a file's name or path, of which the last part is told, or of an output's title. */
  name: place,
  /** Of what it is called by: delivered again, it is the same. Else a file is what its name says. */
  id: optional(place),
  /** Of a file's media type and size in bytes. */
  type: optional(place),
  size: optional(place),
  /** Of an output's caption, and of its rows or their number. */
  caption: optional(place),
  rows: optional(place),
});
export type Delivering = z.output<typeof delivering>;

const titled = z.strictObject({
  title: optional(line),
  searches: optional(line),
  query: optional(place),
  asks: optional(asking),
  delivers: optional(delivering),
});

/** What may be told of a tool, or of data that has a name. */
export interface ToolTitle {
  /** Of its activity. */
  readonly title: string;
  /** What it searches ("web", "pubmed", …), if it does; `query` is the place of what it looks for, by default `query` or `queries`. */
  readonly searches?: string | undefined;
  readonly query?: string | undefined;
  readonly asks?: Asking | undefined;
  readonly delivers?: Delivering | undefined;
}

/** By the name that the stream gives the tool or the data. A `Map`, since the names are the stream's. */
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
  // Of Claude Code.
  ['Bash', { title: 'Running code' }],
  ['Read', { title: 'Reading a file' }],
  ['Write', { title: 'Writing a file' }],
  ['Edit', { title: 'Editing a file' }],
  ['MultiEdit', { title: 'Editing a file' }],
  ['NotebookEdit', { title: 'Editing a file' }],
  ['Glob', { title: 'Looking through files' }],
  ['Grep', { title: 'Looking through files' }],
  ['WebSearch', { title: 'Searching the web', searches: 'web' }],
  ['WebFetch', { title: 'Reading a page' }],
  ['Agent', { title: 'Working on a part' }],
  ['Task', { title: 'Working on a part' }],
  ['TodoWrite', { title: 'Planning' }],
  ['ExitPlanMode', { title: 'Planning' }],
  [
    'AskUserQuestion',
    {
      title: 'Asking you',
      asks: { each: 'questions', text: 'question', options: 'options', multiple: 'multiSelect' },
    },
  ],
];

export const DEFAULT_TITLES: ToolTitles = new Map(DEFAULTS);

const MAX_TOOLS = 10_000;

/**
 * Reads TIDINGS_TITLES, a JSON object: a name → a title, or → `{"title": …}` with what else may be told: `searches`, `asks`, `delivers`.
 * It adds to the defaults and overrides them. BAD_USER_INPUT names the tool whose entry is not understood, and the place in it.
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
  const root = `TIDINGS_TITLES["${tool}"]`;
  if (typeof given === 'string') return { title: parse(line, given, root) };
  const entry = parse(titled, given, root);
  refuseMisfits(entry, root);
  return { ...entry, title: entry.title ?? UNKNOWN_TOOL.title };
}

/** What would never be told is a mistake. */
function refuseMisfits({ query, searches, delivers }: z.output<typeof titled>, root: string): void {
  if (query !== undefined && searches === undefined) {
    throw badUserInput(`${root}.query: expected "searches" beside it, which says what is searched.`);
  }
  if (delivers === undefined) return;
  const isFile = ARTIFACT_KINDS.some((kind) => kind === delivers.kind);
  const misfit = (isFile ? (['caption', 'rows'] as const) : (['type', 'size'] as const)).find(
    (key) => delivers[key] !== undefined,
  );
  if (misfit !== undefined) {
    const expected = isFile ? '"type" and "size"' : '"caption" and "rows"';
    throw badUserInput(`${root}.delivers.${misfit}: ${delivers.kind} has none; it has ${expected}.`);
  }
}
