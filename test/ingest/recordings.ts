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

export const ownRecordings = (): Recording[] => read(OWN, (name) => name.endsWith('.jsonl'));

/** All Anthropic streams of the shared folder; none where there is no such folder. */
export function sharedRecordings(): Recording[] {
  if (!hasShared) return [];
  const synthetic = /^(anthropic\..*|huge-line\.jsonl|deep-json\.jsonl)$/;
  return [
    ...read(join(SHARED, 'anthropic-messages'), () => true),
    ...read(join(SHARED, 'synthetic'), (name) => synthetic.test(name)),
  ];
}
