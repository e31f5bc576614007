import type { Database } from '../database/database.js';

/** Credentials that wait to be noted. One more is not: its next request says it again. */
const MAX_WAITING = 10_000;

export interface LastUsesOptions {
  /** How long the notes of all credentials are gathered, in ms. */
  readonly pace: number;
  readonly onError: (error: unknown, doing: string) => void;
}

/**
 * Notes when credentials were last used: of each once a minute, of all that were used meanwhile in one statement, and never while a
 * request waits for it. There is a timer only while there is something to note.
 */
export class LastUses {
  readonly #database: Database;
  readonly #options: LastUsesOptions;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, options: LastUsesOptions) {
    this.#database = database;
    this.#options = options;
  }

  note(credentialId: string): void {
    if (this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(credentialId);
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.pace);
  }

  /** Writes what is left. Nothing may be noted any more. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#waiting];
    this.#waiting.clear();
    if (ids.length > 0) this.#writing = this.#writing.then(() => this.#write(ids));
  }

  /** Of two processes that note the same use, one does; a row that a transaction holds is passed over, not waited for. */
  async #write(ids: readonly string[]): Promise<void> {
    try {
      await this.#database.prisma.$executeRaw`
        UPDATE credential SET last_used_at = date_trunc('milliseconds', clock_timestamp())
        WHERE id IN (
          SELECT id FROM credential
          WHERE id = ANY(${ids}::uuid[])
            AND (last_used_at IS NULL OR last_used_at <= clock_timestamp() - interval '1 minute')
          ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`;
    } catch (error) {
      this.#options.onError(error, `noting the last use of ${ids.length} credentials`);
    }
  }
}
