import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, OwnProcess, until } from '../servers/own-process.js';
import { programPath } from '../servers/programs.js';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));

/** An nginx with the configuration that is delivered, in front of gateways at these ports of this machine. */
export async function startNginx(gateways: readonly number[]) {
  const program = programPath('nginx');
  if (program === undefined) throw new Error('Expected nginx to be installed.');
  const folder = mkdtempSync(join(tmpdir(), 'tidings-nginx-'));
  const port = await freePort();
  let gateway = 0;
  const placed = readFileSync(CONFIGURATION, 'utf8')
    .replaceAll(/gateway-\d:4000/g, () => `127.0.0.1:${gateways[gateway++]}`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    // Where nobody but nginx's own user may write unless it is said.
    .replace(
      'http {',
      `http { ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`).join(' ')}`,
    );
  if (gateway !== gateways.length) throw new Error(`Expected ${gateway} gateways, got ${gateways.length}.`);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, placed);
  const server = new OwnProcess([
    program,
    '-p',
    folder,
    '-c',
    file,
    '-e',
    'stderr',
    '-g',
    `daemon off; pid ${folder}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
  ]);
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/metrics`).then(
      () => true,
      () => server.hasEnded,
    );
  await until('nginx to answer', answers);
  if (server.hasEnded) throw new Error(`nginx did not start: ${server.output}`);
  return {
    url,
    /** What it has complained of. */
    output: () => server.output,
    async close(): Promise<void> {
      await server.end('TERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
