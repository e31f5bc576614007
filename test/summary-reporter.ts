import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Says what was left out and ends with one line of counts, for a person and for a machine that reads the last line. */
export default class SummaryReporter implements Reporter {
  #postgres = true;

  onInit(vitest: Vitest): void {
    this.#postgres = vitest.projects.some(({ name }) => name === 'postgresql');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter(
      (module) => module.state() === 'failed' && module.errors().length > 0,
    ).length;
    if (!this.#postgres) {
      console.log(
        'Left out: the tests on PostgreSQL, since none answered on 127.0.0.1:5432. Everything above ran on the embedded database.\n' +
          'To run them: TEST_POSTGRES_URL=postgresql://user@host:5432/database npm test (a user that may create databases).',
      );
    }
    process.on('exit', () =>
      console.log(
        `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`,
      ),
    );
  }
}
