import { randomUUID } from 'node:crypto';
import type { Operation } from '../accounts/operation.js';
import type { Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { badUserInput, conflict } from '../errors.js';
import { lockSession } from '../sessions/store.js';
import type { StreamPoint } from './stream.js';
import {
  findStream,
  type StoredStream,
  type StreamKey,
  writeClaim,
  writeEnd,
  writePoint,
} from './stream-store.js';

/** What `IngestContext.run` is for a stream that has a name. */
export const runOf = (stream: string): string => `stream ${stream}`;

/** A named stream, as the one who now writes it keeps it. */
export class KeptStream {
  readonly #writer = randomUUID();

  private constructor(
    readonly key: StreamKey,
    private readonly silenceMs: number,
  ) {}

  /**
   * Begins to write the stream, in the place of whoever did: of two writers the one that began last goes on, and the other is refused
   * with its next piece; the session's lock decides. At `offset` it goes on; without one it begins anew, and what is known of it is kept
   * until more is.
   * @throws CONFLICT, with `current.offset`, when it was read up to another place; NOT_FOUND unless the viewer may write to the session.
   */
  static async claim(
    operation: Operation,
    key: StreamKey,
    given: { readonly offset: number | undefined; readonly format: string | undefined },
    silenceMs: number,
  ): Promise<{ readonly kept: KeptStream; readonly from: StoredStream | undefined }> {
    const kept = new KeptStream(key, silenceMs);
    const from = await transact(operation.database, async (tx) => {
      await lockSession(tx, operation.viewer, key.sessionId);
      const known = await findStream(tx, key);
      if (given.offset !== undefined) refuseMisfit(known, given.offset, given.format);
      await writeClaim(tx, key, kept.#writer, kept.#patience);
      return given.offset === undefined ? undefined : known;
    });
    return { kept, from };
  }

  /** How often a stream that says nothing public is kept all the same. */
  get pace(): number {
    return Math.ceil(this.silenceMs / 8);
  }

  /** No earlier than the silence after the last byte, for bytes may have come since it was kept. */
  get #patience(): number {
    return this.silenceMs + this.pace;
  }

  /**
   * Keeps where the stream is, with what that came to: the caller's transaction, which holds the session's lock. `point` is absent where
   * nobody can go on, and what was kept before stays.
   * @throws CONFLICT, with `current.offset`, when another has begun to write it.
   */
  async store(tx: Transaction, point: StreamPoint | undefined, isOver: boolean): Promise<void> {
    const isKept =
      point === undefined || point.state.length > MAX_STATE
        ? true
        : await writePoint(tx, this.key, this.#writer, point, this.#patience);
    const isOurs = isKept && (isOver ? await writeEnd(tx, this.key, this.#writer) : true);
    if (!isOurs) throw superseded((await findStream(tx, this.key))?.offset ?? 0);
  }
}

/** In UTF-16 units: what a stream may hold, escaped. A larger one goes on from where it was kept last. */
const MAX_STATE = 32 * 1024 * 1024;

function refuseMisfit(known: StoredStream | undefined, offset: number, format: string | undefined): void {
  const current = known?.offset ?? 0;
  if (offset !== current) {
    throw conflict(
      `Ingest-Offset: expected ${current}, which is how far the stream was read, got ${offset}. Go on from there.`,
      { offset: current },
    );
  }
  const begun = known?.format ?? format;
  if (format !== undefined && begun !== format) {
    throw badUserInput(`format: expected ${begun}, in which the stream began, got ${format}. Leave it out.`);
  }
}

const superseded = (offset: number) =>
  conflict(
    'stream: expected to be its only writer, but another has begun since. Ask how far it was read, and go on from there.',
    { offset },
  );
