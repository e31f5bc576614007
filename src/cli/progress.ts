const WIDTH = 32;

/** A bar on standard error that fills from 0 to 1; nothing where no person watches. */
export class Progress {
  readonly #isShown = process.stderr.isTTY === true;
  #drawn = '';

  show(done: number, label: string): void {
    if (!this.#isShown) return;
    const full = Math.round(Math.min(done, 1) * WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(done * 100)}% ${label}`;
    if (bar === this.#drawn) return;
    this.#drawn = bar;
    process.stderr.write(`\r\u001b[2K${bar}`);
  }

  end(): void {
    if (this.#drawn !== '') process.stderr.write('\n');
  }
}
