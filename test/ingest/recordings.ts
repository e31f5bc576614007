import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

/** Recordings of our own making, part of the project. */
export const OWN = join(PROJECT, 'src/demo/recordings');

/** Recordings of others, beside the project or where TIDINGS_RECORDINGS says; they are not part of it. */
const SHARED = process.env.TIDINGS_RECORDINGS ?? join(PROJECT, '../shared/recordings');

export const hasShared = existsSync(SHARED);
if (!hasShared) {
  console.warn(
    `No recordings at ${SHARED}: the tests over them are skipped. TIDINGS_RECORDINGS can name another folder.`,
  );
}

export interface Recording {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function read(folder: string, wanted: (name: string) => boolean): Recording[] {
  return readdirSync(folder)
    .filter(wanted)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

/** The recordings of our own making in one format; of events as they are there are none. */
export function ownRecordings(format = 'anthropic-messages'): Recording[] {
  if (format === 'anthropic-messages') return read(OWN, (name) => name.endsWith('.jsonl'));
  return format === 'tidings' ? [] : read(join(import.meta.dirname, 'recordings', format), () => true);
}

/** Events as they are, one a line. */
export const recordedEvents = (): Recording[] =>
  read(join(import.meta.dirname, 'recordings/tidings'), () => true);

/** Where the shared folder has the streams of a format: a folder of its own, and some of the synthetic ones. */
interface Place {
  readonly folder: string;
  readonly synthetic: RegExp;
  /** The streams in a file that is none; by default it is one. */
  readonly streamsIn?: (file: Recording) => readonly Recording[];
}

const SHARED_PLACES = new Map<string, Place>([
  [
    'anthropic-messages',
    {
      folder: 'anthropic-messages',
      synthetic: /^(anthropic\..*|huge-line\.jsonl|deep-json\.jsonl)$/,
    },
  ],
  ['openai-responses', { folder: 'openai-responses', synthetic: /^openai\./ }],
  ['ai-sdk', { folder: 'vercel-ui-message-stream', synthetic: /^vercel\./ }],
  ['langgraph', { folder: 'langgraph', synthetic: /^langgraph\./ }],
  ['ag-ui', { folder: 'ag-ui', synthetic: /^agui\./, streamsIn: agUiStreams }],
  ['claude-code', { folder: 'claude-code', synthetic: /^claude\./ }],
]);

/** Two files are catalogues of streams, one is what a client asks. */
function agUiStreams(file: Recording): readonly Recording[] {
  const { name, bytes } = file;
  if (name.endsWith('.request.json')) return [];
  const text = new TextDecoder().decode(bytes);
  const streams: readonly (readonly [title: string, stream: string])[] =
    name === 'events.json'
      ? Object.entries<unknown>(JSON.parse(text)).map(([title, events]) => [title, JSON.stringify(events)])
      : [...text.matchAll(/^## (.*)\n((?:(?!## ).*(?:\n|$))*)/gm)].map(([, title = '', part = '']) => [
          title,
          part,
        ]);
  return /^(events\.json|sse_streams\.txt)$/.test(name)
    ? streams.map(([title, stream]) => ({
        name: `${name}: ${title}`,
        bytes: new TextEncoder().encode(stream),
      }))
    : [file];
}

/** A file of the shared folder as it is; undefined where there is no such folder. */
export const sharedFile = (path: string): Uint8Array | undefined =>
  hasShared ? readFileSync(join(SHARED, path)) : undefined;

/** All streams of one format in the shared folder; none where there is no such folder. */
export function sharedRecordings(format = 'anthropic-messages'): Recording[] {
  const place = SHARED_PLACES.get(format);
  if (!hasShared || place === undefined) return [];
  const { folder, synthetic, streamsIn = (file) => [file] } = place;
  return [
    ...read(join(SHARED, folder), () => true),
    ...read(join(SHARED, 'synthetic'), (name) => synthetic.test(name)),
  ].flatMap(streamsIn);
}

/** Streams of programs that no format is for. */
export const foreignRecordings = (): Recording[] =>
  hasShared ? read(join(SHARED, 'other-agents'), () => true) : [];
