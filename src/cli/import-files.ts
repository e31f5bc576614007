import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DomainError } from '../errors.js';
import { recogniseFormat } from '../ingest/formats.js';
import type { Frame } from '../ingest/frames.js';
import { Framing } from '../ingest/framing.js';
import { CommandError } from './usage.js';

export interface FoundFile {
  readonly path: string;
  readonly size: number;
}

export interface Found {
  readonly files: readonly FoundFile[];
  /** How many lie in the directories that are named like no recording. */
  readonly others: number;
}

/** How recordings and transcripts are named. Whatever is named by itself is taken for one. */
const RECORDINGS = /\.(?:jsonl|ndjson|json|sse|txt)$/i;

/**
 * The files of these paths, in the order of their names; of directories those in them, however deep, that are named like recordings.
 * @throws CommandError for a path that is neither, or cannot be read.
 */
export async function findFiles(paths: readonly string[]): Promise<Found> {
  const found = new Map<string, FoundFile>();
  let others = 0;
  for (const path of paths) {
    const entry = await reading(path, stat(path));
    const names = entry.isDirectory() ? await filesIn(path) : [path];
    const taken = entry.isDirectory() ? names.filter((name) => RECORDINGS.test(name)) : names;
    others += names.length - taken.length;
    for (const name of taken) found.set(name, { path: name, size: (await reading(name, stat(name))).size });
  }
  return { files: [...found.values()], others };
}

/** Links are not followed: they may lead back. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await reading(directory, readdir(directory, { recursive: true, withFileTypes: true }));
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function reading<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`Expected recordings to import: ${path} cannot be read (${code}).`);
  }
}

export interface Beginning {
  /** Undefined if it begins like none. */
  readonly format?: string;
  /** Whether it is of an agent that worked for another, in whose transcript its part is told. */
  readonly isSideChain: boolean;
}

/** What a file is, by its first object. */
export async function beginningOf(path: string): Promise<Beginning> {
  const first = await firstObject(path);
  if (first === undefined) return { isSideChain: false };
  return { ...recognised(first), isSideChain: first.value.isSidechain === true };
}

async function firstObject(path: string): Promise<Frame | undefined> {
  const framing = new Framing();
  for await (const chunk of createReadStream(path)) {
    const [first] = framing.push(chunk);
    if (first !== undefined || framing.fault !== undefined) return first;
  }
  return framing.end()[0];
}

function recognised(first: Frame): { readonly format?: string } {
  try {
    return { format: recogniseFormat(first).name };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return {};
  }
}

/** So much of a file tells it from others. A transcript that grows keeps its beginning, which names what it is about. */
const BEGINNING = 1_024;

/**
 * The id of the session that a file becomes: of its owner, its name and its beginning, so that the same file finds the same session, also
 * when it has grown or lies elsewhere.
 */
export async function sessionIdOf({ path }: FoundFile, accountId: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const hash = createHash('sha256')
      .update(JSON.stringify(['import', accountId, basename(path)]))
      .update(buffer.subarray(0, bytesRead))
      .digest();
    return asCustomUuid(hash.subarray(0, 16));
  } finally {
    await file.close();
  }
}

/** RFC 9562, version 8: of our own making. */
function asCustomUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
