import type { Ingested } from './uploads.js';

/** What came of the files of an import, summed up: bounded by what failed. */
export class ImportReport {
  #imported = 0;
  #unchanged = 0;
  #sideChains = 0;
  #events = 0;
  #duplicates = 0;
  readonly #ignored = new Map<string, { times: number; files: number }>();
  readonly #strange: string[] = [];
  readonly #failed: string[] = [];

  imported({ accepted, duplicates, ignored }: Ingested): void {
    if (accepted === 0) this.#unchanged++;
    else this.#imported++;
    this.#events += accepted;
    this.#duplicates += duplicates;
    for (const [kind, times] of Object.entries(ignored)) {
      const before = this.#ignored.get(kind) ?? { times: 0, files: 0 };
      this.#ignored.set(kind, { times: before.times + times, files: before.files + 1 });
    }
  }

  /** It was here whole. */
  unchanged(): void {
    this.#unchanged++;
  }

  /** It is of an agent that worked for another. */
  sideChain(): void {
    this.#sideChains++;
  }

  /** It begins like no format. */
  strange(path: string): void {
    this.#strange.push(path);
  }

  failed(path: string, reason: string): void {
    this.#failed.push(`${path}: ${reason}`);
  }

  get isEmpty(): boolean {
    return this.#imported + this.#unchanged + this.#failed.length === 0;
  }

  get isWhole(): boolean {
    return this.#failed.length === 0 && this.#strange.length === 0;
  }

  /** In words, a line each; `others` files were not looked at. */
  lines(others: number): string[] {
    const again = this.#duplicates > 0 ? `; ${this.#duplicates} events were there already` : '';
    return [
      `${count(this.#imported, 'file')} imported, ${count(this.#events, 'event')}${again}.`,
      ...(this.#unchanged > 0 ? [`${count(this.#unchanged, 'file')} added nothing.`] : []),
      ...[...this.#ignored].map(
        ([kind, { times, files }]) => `Not understood: ${times} × ${kind}, in ${count(files, 'file')}.`,
      ),
      ...(others > 0 ? [`${count(others, 'file')} left out, by the name no recordings.`] : []),
      ...(this.#sideChains > 0
        ? [`${count(this.#sideChains, 'file')} left out, of agents that worked for another.`]
        : []),
      ...this.#strange.map((path) => `Not imported, since it begins like no format: ${path}`),
      ...this.#failed.map((line) => `Not imported whole: ${line}`),
    ];
  }
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
