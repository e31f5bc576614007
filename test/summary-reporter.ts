import type { Reporter, TestModule } from 'vitest/node';

/** Tests that cannot run here: what they run on, why not, and the variable that would help. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  readonly variable?: string;
}

/** Says what was left out and ends with one line of counts, for a person and for a machine that reads the last line. */
export class SummaryReporter implements Reporter {
  readonly #leftOut: readonly LeftOut[];

  constructor(leftOut: readonly LeftOut[]) {
    this.#leftOut = leftOut;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const each of this.#leftOut) console.log(notice(each));
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that fails before its first test has none to count.
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    const failed = count('failed') + broken.length;
    // After whatever the other reporters print last.
    process.on('exit', () =>
      console.log(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`),
    );
  }
}

const notice = ({ what, why, variable }: LeftOut) => `
Left out: the tests on ${what} (${why}).${
  variable === undefined ? '' : ` To run them, name a server: ${variable} npm test`
}`;
