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

/** The recordings of our own making in one format. */
export const ownRecordings = (format = 'anthropic-messages'): Recording[] =>
  format === 'anthropic-messages'
    ? read(OWN, (name) => name.endsWith('.jsonl'))
    : read(join(import.meta.dirname, 'recordings', format), () => true);

/** Where the shared folder has the streams of a format: a folder of its own, and some of the synthetic ones. */
const SHARED_PLACES = new Map<string, readonly [folder: string, synthetic: RegExp]>([
  ['anthropic-messages', ['anthropic-messages', /^(anthropic\..*|huge-line\.jsonl|deep-json\.jsonl)$/]],
  ['openai-responses', ['openai-responses', /^openai\./]],
  ['ai-sdk', ['vercel-ui-message-stream', /^vercel\./]],
]);

/** All streams of one format in the shared folder; none where there is no such folder. */
export function sharedRecordings(format = 'anthropic-messages'): Recording[] {
  const place = SHARED_PLACES.get(format);
  if (!hasShared || place === undefined) return [];
  const [folder, synthetic] = place;
  return [
    ...read(join(SHARED, folder), () => true),
    ...read(join(SHARED, 'synthetic'), (name) => synthetic.test(name)),
  ];
}
