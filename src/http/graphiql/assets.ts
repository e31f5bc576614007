import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The address of an asset: the hash of them all in it lets browsers keep each for ever, and one find the others beside it. */
export const ASSET_PATH = /^\/graphiql\/([0-9a-f]{16})\/([\w.-]+)$/;

type Coding = 'br' | 'gzip' | 'identity';

const COMPRESS: Record<Coding, (content: Buffer) => Promise<Buffer>> = {
  // 9 MB become 2.2 in a third of a second; the best quality takes half a minute and saves a tenth.
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
  identity: async (content) => content,
};

interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** Made when it is first asked for, then kept. */
  readonly coded: Map<Coding, Promise<Buffer>>;
}

interface Bundle {
  readonly hash: string;
  readonly files: ReadonlyMap<string, Asset>;
}

/** GraphiQL's files, all of them from this machine. Read when a browser first asks, since most servers never show a page. */
export class Assets {
  #bundle: Promise<Bundle> | undefined;

  /** The folder that all assets are in, for the page, with a slash at the end. */
  async folder(): Promise<string> {
    return `/graphiql/${(await this.#load()).hash}/`;
  }

  /** Answers with an asset; false when there is none of that hash and name. */
  async answer(req: IncomingMessage, res: ServerResponse, hash: string, name: string): Promise<boolean> {
    const bundle = await this.#load();
    const asset = bundle.files.get(name);
    if (asset === undefined || bundle.hash !== hash) return false;
    const coding = chooseCoding(req.headers['accept-encoding'] ?? '');
    const body = await codedAs(asset, coding);
    res.writeHead(200, {
      'content-type': `${asset.type}; charset=utf-8`,
      'content-length': body.length,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    });
    res.end(req.method === 'HEAD' ? undefined : body);
    return true;
  }

  #load(): Promise<Bundle> {
    this.#bundle ??= readBundle();
    return this.#bundle;
  }
}

function codedAs({ content, coded }: Asset, coding: Coding): Promise<Buffer> {
  const known = coded.get(coding);
  if (known !== undefined) return known;
  const made = COMPRESS[coding](content);
  coded.set(coding, made);
  return made;
}

function chooseCoding(accepted: string): Coding {
  const codings = accepted.split(',').map((coding) => coding.split(';')[0]?.trim());
  if (codings.includes('br')) return 'br';
  return codings.includes('gzip') ? 'gzip' : 'identity';
}

async function readBundle(): Promise<Bundle> {
  const contents = await readContents();
  const hash = createHash('sha256');
  for (const [name, content] of contents) hash.update(name).update(content);
  const files = new Map<string, Asset>();
  for (const [name, content] of contents) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    files.set(name, { type, content: Buffer.from(content), coded: new Map() });
  }
  return { hash: hash.digest('hex').slice(0, 16), files };
}

async function readContents(): Promise<ReadonlyMap<string, string>> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
  return new Map([
    ['graphiql.js', graphiql.js],
    ['graphiql.css', graphiql.css],
    // The editor asks for its workers by these names.
    ['editorWorkerService.js', graphiql.editorWorkerService],
    ['json.js', graphiql.jsonWorker],
    ['graphql.js', graphiql.graphqlWorker],
    ['start.js', await readFile(new URL('../../../src/http/graphiql/start.js', import.meta.url), 'utf8')],
    ...(await readSocketClient()),
  ]);
}

/** The client of graphql-ws as its package has it for browsers, and the file that it imports by a name of its own. */
async function readSocketClient(): Promise<readonly (readonly [string, string])[]> {
  const path = createRequire(import.meta.url)
    .resolve('graphql-ws/client')
    .replace(/\.cjs$/, '.js');
  const client = await readFile(path, 'utf8');
  const imported = [...new Set([...client.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, name = '']) => name))];
  const files = imported.map(
    async (name) => [name, await readFile(join(dirname(path), name), 'utf8')] as const,
  );
  return [['client.js', client], ...(await Promise.all(files))];
}
