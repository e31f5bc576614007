import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PageSeed } from './seed.js';
import type { Way } from './ways.js';

const METER = fileURLToPath(new URL('./meter.js', import.meta.url));
const CONNECTIONS = 10;
/** How long, in ms, a server may take to answer for the first time. */
const START = 30_000;

interface Answer {
  readonly status: number | undefined;
  readonly body: Buffer;
}

/** A server in a process of its own, and ten connections to it. */
export class PageServer {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #body: string;
  #errors = '';

  private constructor(
    readonly way: Way,
    readonly port: number,
    readonly token: string,
    readonly child: ChildProcess,
    sessionId: string,
  ) {
    this.#body = JSON.stringify({ query: way.query, variables: { sessionId } });
    child.stderr?.on('data', (chunk) => {
      this.#errors = `${this.#errors}${chunk}`.slice(-2_000);
    });
  }

  /** @throws Error with what the server said, when it does not come to answer. */
  static async start(way: Way, port: number, seed: PageSeed): Promise<PageServer> {
    const child = fork(way.module, way.args, {
      execArgv: [METER, ...way.imports].flatMap((module) => ['--import', module]),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: seed.databaseUrl,
        TIDINGS_DEMO: 'off',
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'error',
      },
    });
    const server = new PageServer(way, port, seed.token, child, seed.sessionId);
    await server.#answers();
    return server;
  }

  /** The page, checked by whoever asks. */
  async ask(): Promise<Answer> {
    const sent = request({
      port: this.port,
      host: '127.0.0.1',
      path: '/graphql',
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(this.#body),
        authorization: `Bearer ${this.token}`,
      },
    });
    sent.end(this.#body);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, body: Buffer.concat(chunks) };
  }

  /**
   * Asks `requests` times over ten connections; CPU and time a request, in ms.
   * @throws Error when one answer has another size than the first: an error is quick.
   */
  async run(requests: number): Promise<{ readonly cpu: number; readonly took: number }> {
    const { length } = (await this.ask()).body;
    const [cpu, begun] = [await this.#cpu(), performance.now()];
    let left = requests;
    const connection = async () => {
      while (left-- > 0) {
        const { status, body } = await this.ask();
        if (status === 200 && body.length === length) continue;
        throw new Error(
          `${this.way.name}: expected ${length} bytes, got HTTP ${status}: ${body.subarray(0, 500)}`,
        );
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    return {
      took: (performance.now() - begun) / requests,
      cpu: ((await this.#cpu()) - cpu) / 1_000 / requests,
    };
  }

  stop(): void {
    this.#agent.destroy();
    if (this.child.connected) this.child.disconnect();
  }

  async #cpu(): Promise<number> {
    const answer = once(this.child, 'message');
    this.child.send('cpu');
    return (await answer)[0];
  }

  async #answers(): Promise<void> {
    let last = '';
    for (let waited = 0; waited < START; waited += 100) {
      const answer = await this.ask().catch(() => undefined);
      if (answer?.status === 200) return;
      last = answer?.body.toString() ?? last;
      if (this.child.exitCode !== null || answer?.status === 400) break;
      await sleep(100);
    }
    this.stop();
    throw new Error(`${this.way.name} does not answer. ${last.slice(0, 500)}\n${this.#errors}`);
  }
}
