import type { Reporter, TestModule } from 'vitest/node';

/** Says what was left out and ends with one line of counts, for a person and for a machine that reads the last line. */
export class SummaryReporter implements Reporter {
  readonly #postgresUrl: string;
  readonly #refusal: string | undefined;

  /** `refusal`: why the tests on PostgreSQL were left out; undefined when they ran. */
  constructor(postgresUrl: string, refusal: string | undefined) {
    this.#postgresUrl = postgresUrl;
    this.#refusal = refusal;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#refusal !== undefined) console.log(leftOut(this.#postgresUrl, this.#refusal));
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

const leftOut = (url: string, refusal: string) => `
Left out: the tests on PostgreSQL (${url.replace(/:[^:@/]*@/, ':…@')}: ${refusal}).
What you see ran on the embedded database. To run the rest, name a server whose user may create databases:
  TEST_POSTGRES_URL=postgresql://user@host:5432/database npm test
`;
