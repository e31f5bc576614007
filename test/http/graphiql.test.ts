import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ELICITATIONS_DOCUMENT,
  SESSIONS_DOCUMENT,
  sessionDocument,
} from '../../src/http/graphiql/documents.js';
import { schema } from '../../src/schema.js';
import { GOOD, openDoors, type TestDoors } from './doors.js';

const demo = { token: 'tdg_demo_member', sessionId: '6f1c1c9e-6f0e-4c39-9d0c-9a4cf7f6f001' };
const ANOTHER = '11111111-2222-4333-8444-555555555555';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors({ demo });
});
afterAll(() => doors.close());

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** As a browser asks, with any Host. */
function browse(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { url } = doors,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}${path}`,
      { headers: { accept: 'text/html,*/*', ...headers } },
      async (response) => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(await response.toArray()),
        });
      },
    );
    asked.once('error', reject).end();
  });
}

const optionsIn = ({ body }: Reply) =>
  JSON.parse(/<script id="options"[^>]*>(.*?)<\/script>/s.exec(String(body))?.[1] ?? '');
const assetsIn = ({ body }: Reply) =>
  [...String(body).matchAll(/(?:src|href)="(\/graphiql\/[^"]+)"/g)].map(([, path = '']) => path);

describe('GraphiQL', () => {
  it('is shown to browsers alone', async () => {
    expect((await browse('/graphql')).headers['content-type']).toBe('text/html; charset=utf-8');
    const { response } = await doors.post('{ hello }', { accept: 'application/json' });
    expect(response.headers.get('content-type')).toContain('application/json');
    const got = await fetch(`${doors.graphql}?query={hello}`, { headers: { authorization: GOOD } });
    expect(got.headers.get('content-type')).toContain('json');
  });

  it('is kept by nobody, may ask this server alone, and is framed by no other page', async () => {
    const { headers } = await browse('/graphql');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/,
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('begins with a query and a subscription for the demo session, and the member in its headers', async () => {
    const { tabs, headers } = optionsIn(await browse('/graphql'));
    expect(tabs).toHaveLength(3);
    expect(JSON.parse(tabs[0].variables)).toEqual({ sessionId: demo.sessionId });
    for (const text of [headers, ...tabs.map((tab: { headers: string }) => tab.headers)]) {
      expect(JSON.parse(text)).toEqual({ authorization: `Bearer ${demo.token}` });
    }
  });

  it.each([
    sessionDocument({ hasToken: true, hasSession: true, isAnswered: true }),
    sessionDocument({ hasToken: false, hasSession: false, isAnswered: false }),
    SESSIONS_DOCUMENT,
    ELICITATIONS_DOCUMENT,
  ])('has documents that the schema understands', (document) => {
    expect(validate(schema, parse(document))).toEqual([]);
    expect(document).toMatch(/^query /m);
    expect(document).toMatch(/^subscription /m);
    // What its editor shows of a line in a window of 1200 pixels.
    expect(Math.max(...document.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(45);
  });

  it("opens a session's address with that session", async () => {
    const { tabs } = optionsIn(await browse(`/sessions/${ANOTHER}`, { accept: '*/*' }));
    expect(tabs).toHaveLength(1);
    expect(JSON.parse(tabs[0].variables)).toEqual({ sessionId: ANOTHER });
    expect((await browse('/sessions/%3Cscript%3E')).status).toBe(404);
  });

  it('offers to ask only where the demo answers', async () => {
    const documentOf = async (path: string) => String(optionsIn(await browse(path)).tabs[0].query);
    expect(await documentOf('/graphql')).toContain('mutation Ask');
    expect(await documentOf(`/sessions/${demo.sessionId}`)).toContain('mutation Ask');
    expect(await documentOf(`/sessions/${ANOTHER}`)).not.toContain('mutation Ask');
  });

  it('without a demo says what to fill in, with a header that a browser can send', async () => {
    const bare = await openDoors();
    const [tab] = optionsIn(await browse('/graphql', {}, bare)).tabs;
    await bare.close();
    expect(new Headers(JSON.parse(tab.headers)).get('authorization')).toMatch(/^Bearer tdg_/);
    expect(tab.query).toMatch(/^# Put a token into Headers/);
    expect(tab.query).toContain('# Put the id of a session into Variables');
    expect(tab.query).not.toContain('Ask');
  });

  it('is where the root leads a browser, and nobody else', async () => {
    const { status, headers } = await browse('/');
    expect([status, headers.location]).toEqual([302, '/graphql']);
    expect((await browse('/', { accept: '*/*' })).status).toBe(404);
  });

  it('is not there in production', async () => {
    const closed = await openDoors({ demo, env: { NODE_ENV: 'production' } });
    expect((await browse('/graphql', {}, closed)).status).toBe(401);
    expect((await browse(`/sessions/${ANOTHER}`, {}, closed)).status).toBe(404);
    await closed.close();
  });
});

describe("the demo member's credential", () => {
  it.each(['localhost:4000', 'localhost', '127.0.0.1', '[::1]', 'LOCALHOST:4000', '127.0.0.1:1'])(
    'is given to a browser that asks %s',
    async (host) => {
      expect(String((await browse('/graphql', { host })).body)).toContain(demo.token);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:4000',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    '192.168.0.7:4000',
  ])('is kept from one that asks %j', async (host) => {
    const page = await browse('/graphql', { host });
    expect(page.status).toBe(200);
    expect(String(page.body)).not.toContain(demo.token);
    expect(String(page.body)).not.toContain(demo.sessionId);
  });

  it.each<Readonly<Record<string, string>>>([
    { 'x-forwarded-for': '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { via: '1.1 proxy' },
  ])('is kept from who comes through a proxy: %o', async (headers) => {
    expect(String((await browse('/graphql', { host: 'localhost', ...headers })).body)).not.toContain(
      demo.token,
    );
  });

  it('is kept from everyone when the server listens to others', async () => {
    const open = await openDoors({ demo, env: { HOST: '0.0.0.0' } });
    expect(String((await browse('/graphql', { host: 'localhost' }, open)).body)).not.toContain(demo.token);
    await open.close();
  });
});

describe("GraphiQL's files", () => {
  it('come compressed, as the browser can read them, and may be kept for ever', async () => {
    const paths = assetsIn(await browse('/graphql'));
    expect(paths.length).toBeGreaterThan(1);
    const script = paths[0]?.replace(/[^/]+$/, 'graphiql.js') ?? '';
    const plain = await browse(script);
    const brotli = await browse(script, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await browse(script, { 'accept-encoding': 'gzip' });
    expect([plain, brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 3);
    expect(plain.headers['cache-control']).toContain('immutable');
  });

  it('are found beside each other, with their types', async () => {
    const [style = ''] = assetsIn(await browse('/graphql'));
    const names = [
      'start.js',
      'graphiql.css',
      'client.js',
      'editorWorkerService.js',
      'json.js',
      'graphql.js',
    ];
    const replies = await Promise.all(names.map((name) => browse(style.replace(/[^/]+$/, name))));
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(replies[0]?.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(replies[1]?.headers['content-type']).toBe('text/css; charset=utf-8');
    expect((await browse(style.replace(/[^/]+$/, 'nothing.js'))).status).toBe(404);
    expect((await browse(style.replace(/[0-9a-f]{16}/, '0123456789abcdef'))).status).toBe(404);
  });
});
