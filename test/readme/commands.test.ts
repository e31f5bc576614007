import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, validate } from 'graphql';
import { createClient } from 'graphql-ws';
import { createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { buildTemplate } from '../../src/database/template.js';
import { parseTitles } from '../../src/ingest/titles.js';
import { schema } from '../../src/schema.js';
import { type Block, file, guide, readBlocks, root } from './document.js';
import { openShell } from './shell.js';

const blocks = readBlocks(guide);
/** Those that a test has taken: in the end all of them. */
const taken = new Set<Block>();

/** The next block of that language under that heading. */
function take(language: string, heading: string): string {
  const block = blocks.find(
    (candidate) => candidate.language === language && candidate.heading === heading && !taken.has(candidate),
  );
  if (block === undefined) throw new Error(`Expected another ${language} block under "${heading}".`);
  taken.add(block);
  return block.text;
}

/** The data of a GraphQL answer; an error in it fails the test and is shown. */
function dataOf(answer: string) {
  const { data, errors } = JSON.parse(answer);
  expect(errors).toBeUndefined();
  return data;
}

const [startCommand, testCommand] = [take('bash', 'Start'), take('bash', 'Start')];

describe('what the README says to type', () => {
  let shell: Awaited<ReturnType<typeof openShell>>;
  let server: ReturnType<typeof shell.start>;
  beforeAll(async () => {
    // As `npm ci` leaves it.
    await buildTemplate();
    shell = await openShell();
    server = await shell.serve(startCommand);
  });
  afterAll(() => shell.close());

  const ask = async (query: string, headers: Record<string, string>, variables?: object) => {
    const response = await fetch(`${shell.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return dataOf(await response.text());
  };
  const service = () => ({ authorization: `Bearer ${shell.variable('SERVICE')}` });
  const eventsOf = async () => {
    const query =
      'query ($id: ID!) { session(sessionId: $id) { events { nodes { ... on SessionEventOccurrence { eventId kind } } } } }';
    const { session } = await ask(query, service(), { id: shell.variable('SESSION') });
    return session.events.nodes as { eventId: string; kind: string }[];
  };

  /** Does `work` in a folder with these files, once they compile. */
  const withCode = async (
    files: Readonly<Record<string, string>>,
    work: (folder: string) => Promise<void>,
  ) => {
    mkdirSync(join(root, 'test/generated'), { recursive: true });
    const folder = mkdtempSync(join(root, 'test/generated/readme-'));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), shell.place(text));
      const config = '{ "extends": "../../../tsconfig.json", "include": ["*.ts"] }';
      writeFileSync(join(folder, 'tsconfig.json'), config);
      const compile = [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--rootDir',
        root,
        '-p',
        folder,
      ];
      await promisify(execFile)(process.execPath, compile).catch(({ stdout }) => expect(stdout).toBe(''));
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('is also what CI does on a clean clone', () => {
    const commands = `${startCommand}${testCommand}`.trim().split(/ && |\n/);
    const ci = file('.ci/run').split('\n');
    expect(commands.filter((command) => !ci.includes(command))).toEqual(['npm start']);
  });

  it('shows the demo: a query and a subscription to paste, with what GraphiQL brings along', async () => {
    const page = await fetch(`${shell.url}/graphql`, { headers: { accept: 'text/html' } });
    const options = /<script id="options"[^>]*>(.*?)<\/script>/s.exec(await page.text())?.[1] ?? '';
    const [tab] = JSON.parse(options).tabs;
    const [headers, variables] = [JSON.parse(tab.headers), JSON.parse(tab.variables)];
    const [query, subscription] = [take('graphql', 'Read'), take('graphql', 'Read')];
    expect([query, subscription].flatMap((text) => validate(schema, parse(text)))).toEqual([]);

    const { sessions } = await ask(query, headers);
    expect(sessions.totalCount).toBeGreaterThan(1);
    expect(JSON.stringify(sessions.nodes)).toMatch(/"displayText":".+"quote":".+"url":"https:/);

    const client = createClient({
      url: `${shell.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: headers,
    });
    const kinds: string[] = [];
    const updates = client.iterate<{ sessionEvents: { edges: { node: { kind: string } }[] } }>({
      query: subscription,
      variables,
    });
    for await (const { data, errors } of updates) {
      expect(errors).toBeUndefined();
      kinds.push(...(data?.sessionEvents.edges ?? []).map(({ node }) => node.kind));
      if (kinds.length > 1) break;
    }
    await client.dispose();
    expect(kinds.slice(0, 2)).toEqual(['USER_MESSAGE', 'ACTIVITY']);
  });

  it('writes: a session by its owner, events by the runtime, and again without effect', async () => {
    const { createSession } = dataOf(await shell.run(take('bash', 'Write')));
    expect(createSession.session).toEqual({
      url: `${shell.url}/sessions/${shell.variable('SESSION')}`,
      status: 'PROCESSING',
    });
    const append = take('bash', 'Write');
    const { appendSessionEvents: first } = dataOf(await shell.run(append));
    const { appendSessionEvents: again } = dataOf(await shell.run(append));
    expect(first.duplicates).toEqual([]);
    expect(again).toEqual({ ...first, duplicates: ['1', '2', '3', '4'] });
    expect((await eventsOf()).map(({ kind }) => kind)).toEqual([
      'USER_MESSAGE',
      'ACTIVITY',
      'ACTIVITY',
      'AGENT_MESSAGE',
      'SESSION_IDLE',
    ]);
  });

  it('takes a raw stream in, and answers as shown', async () => {
    const answer = JSON.parse(await shell.run(take('bash', 'Raw streams')));
    const shown = JSON.parse(take('json', 'Raw streams'));
    expect({ ...answer, checkpoint: '…' }).toEqual(shown);
    expect(await eventsOf()).toHaveLength(5 + shown.accepted);
  });

  it('says how far a raw stream was read that nobody has sent yet', async () => {
    const answer = await shell.run(take('bash', 'Going on where a writer broke off'));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n(.*\r\n)*ingest-offset: 0\r\n/i);
  });

  it('knows what may be told of tools', () => {
    const titles = parseTitles(take('json', 'What may be told of tools and data'));
    expect(titles.get('find_trials')).toEqual({
      title: 'Searching for trials',
      searches: 'trials',
      query: 'filter.condition',
    });
    expect(titles.get('data-table')?.delivers?.kind).toBe('TABLE');
  });

  it('replays a recording into a session of its own', async () => {
    const [url = '', summary = ''] = (await shell.run(take('bash', 'Raw streams'))).split('\n');
    expect(url).toMatch(`${shell.url}/sessions/`);
    expect(summary).toMatch(/^\d+ events$/);
    const query = 'query ($id: ID!) { session(sessionId: $id) { status events { totalCount } } }';
    const { session } = await ask(query, service(), { id: url.split('/').at(-1) });
    expect(session).toEqual({ status: 'COMPLETED', events: { totalCount: Number.parseInt(summary, 10) } });
  });

  it('imports recordings, and adds nothing when they come again', async () => {
    const command = take('bash', 'Uploading history');
    expect(await shell.run(command)).toMatch(/^3 files imported, \d+ events\.\n$/);
    expect(await shell.run(command)).toMatch(/^0 files imported.*\n3 files added nothing\.\n$/);
  });

  it('takes events as they are, as shown', async () => {
    const body = take('json', 'Events as they are');
    const mutation = 'mutation { createSession(input: { title: "History" }) { session { sessionId } } }';
    const { createSession } = await ask(mutation, service());
    const response = await fetch(`${shell.url}/ingest/${createSession.session.sessionId}`, {
      method: 'POST',
      headers: service(),
      body,
    });
    expect(await response.json()).toMatchObject({ accepted: 3, duplicates: 0, ignored: {} });
  });

  it('follows by server-sent events', async () => {
    const following = shell.start(take('bash', 'Follow and resume'));
    await vi.waitFor(() => expect(following.printed).toContain('event: next'), { timeout: 10_000 });
    expect(await following.end()).toMatch(/data: .*"AgentMessageEvent".*"checkpoint":"/);
  });

  it('follows with the official client, by code that compiles and is the code that is tested', async () => {
    const snippet = take('ts', 'Follow and resume');
    expect(snippet).toBe(file('test/subscriptions/resume-snippet.ts'));
    const code = { 'resume-snippet.ts': snippet, 'follow.ts': take('ts', 'Follow and resume') };
    await withCode(code, async (folder) => {
      const run = take('bash', 'Follow and resume').replace('follow.ts', join(folder, 'follow.ts'));
      const following = shell.start(run);
      const expected = (await eventsOf()).map(({ eventId, kind }) => `${eventId} ${kind}\n`).join('');
      await vi.waitFor(() => expect(following.printed).toBe(expected), { timeout: 20_000 });
      const refused = await shell.run(`( MEMBER=tdg_wrong\n${run.trim()} 2>&1 ) || true`);
      expect(refused).toBe('UNAUTHENTICATED\n');
    });
  });

  it('follows with the client that resumes, by code that compiles', async () => {
    const heading = 'The client that resumes';
    const code = take('ts', heading);
    // As the package has it only where `dist` is sure to be what `src` is.
    const placed = process.env.CI ? code : code.replace('tidings/client', '../../../src/client/follow.js');
    await withCode({ 'client.ts': placed }, async (folder) => {
      const following = shell.start(take('bash', heading).replace('client.ts', join(folder, 'client.ts')));
      const expected = (await eventsOf()).map(({ eventId, kind }) => `${eventId} ${kind}\n`).join('');
      await vi.waitFor(() => expect(following.printed).toBe(expected), { timeout: 20_000 });
      await following.end();
    });
  });

  it("reads an agent's own conversation, by code that compiles: pages, a search, and what comes then", async () => {
    const heading = "An agent's own conversation";
    await shell.run(take('bash', heading));
    const code = {
      'resume-snippet.ts': file('test/subscriptions/resume-snippet.ts'),
      'recall.ts': take('ts', heading),
    };
    await withCode(code, async (folder) => {
      const recalling = shell.start(take('bash', heading).replace('recall.ts', join(folder, 'recall.ts')));
      const said = () => recalling.printed.split('\n').slice(0, 3);
      await vi.waitFor(() => expect(recalling.printed).toContain('about peat'), { timeout: 20_000 });
      expect(said()).toEqual([
        'USER What becomes of a drained bog?',
        'ASSISTANT Its peat decays, and the ground sinks.',
        expect.stringMatching(/^ASSISTANT /),
      ]);
      expect(recalling.printed).toContain('\n1 about peat\n');
      const mutation =
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { session { status } } }';
      await ask(mutation, service(), { input: { sessionId: shell.variable('SESSION'), text: 'And then?' } });
      await vi.waitFor(() => expect(recalling.printed).toContain('And then?'), { timeout: 20_000 });
    });
  });

  it('has a person approve what an agent asks, which the agent is told of live, and looks back', async () => {
    const heading = 'Ask a person';
    const following = shell.start(take('bash', heading));
    const told = (to: string) =>
      vi.waitFor(
        () =>
          expect(following.printed).toContain(
            `{"to":"${to}"},"elicitation":{"elicitationId":"${shell.variable('ELICITATION')}"`,
          ),
        { timeout: 10_000 },
      );
    await vi.waitFor(() => expect(following.printed).toContain('event: next'), { timeout: 10_000 });
    expect(await shell.run(take('bash', heading))).toBe('');
    await told('PENDING');
    const approval = dataOf(await shell.run(take('bash', heading)));
    expect(approval).toEqual({ approveElicitation: { elicitation: { status: 'APPROVED' } } });
    await told('APPROVED');
    const taken = dataOf(await shell.run(take('bash', heading)));
    expect(taken.consumeElicitation.elicitation).toEqual({
      decision: 'APPROVED',
      formSubmission: { from: '2027-01-31' },
    });
    await told('CONSUMED');
    await following.end();
    const { elicitationHistory } = dataOf(await shell.run(take('bash', heading)));
    expect(elicitationHistory.items[0]).toEqual({
      message: 'May I publish the report on bogs?',
      status: 'CONSUMED',
      statusAsOf: 'PENDING',
    });
    expect(elicitationHistory.total).toBeGreaterThan(elicitationHistory.items.length);
  });

  it('lets a page of another server in through its proxy, over HTTP and WebSocket', async () => {
    mkdirSync(join(root, 'test/generated'), { recursive: true });
    const folder = mkdtempSync(join(root, 'test/generated/readme-'));
    const config = join(folder, 'vite.config.ts');
    writeFileSync(config, shell.place(take('ts', 'From a browser')));
    const vite = await createServer({
      root: folder,
      configFile: config,
      logLevel: 'silent',
      server: { port: 0, host: '127.0.0.1' },
    });
    try {
      await vite.listen();
      const page = vite.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';
      const authorization = `Bearer ${shell.variable('MEMBER')}`;
      const fromPage = { origin: page, 'sec-fetch-site': 'same-origin', authorization };
      const response = await fetch(`${page}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fromPage },
        body: JSON.stringify({ query: '{ viewer { account { name } } }' }),
      });
      expect(dataOf(await response.text()).viewer.account.name).toBe('Max');
      class PageSocket extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { origin: page });
        }
      }
      const client = createClient({
        url: `${page.replace('http', 'ws')}/graphql`,
        webSocketImpl: PageSocket,
        connectionParams: { authorization },
        retryAttempts: 0,
      });
      const updates = client.iterate({
        query: 'subscription ($id: ID!) { sessionEvents(sessionId: $id) { checkpoint } }',
        variables: { id: shell.variable('SESSION') },
      });
      const { value } = await updates.next();
      expect(value).toMatchObject({ data: { sessionEvents: { checkpoint: expect.any(String) } } });
      await client.dispose();
    } finally {
      await vite.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('makes accounts and tokens while the server runs', async () => {
    const made = JSON.parse(await shell.run(take('bash', 'Accounts and tokens')));
    expect(made).toMatchObject({ name: 'Grace', role: 'ADMIN' });
    const printed = await shell.run(`ACCOUNT=${made.accountId}\n${take('bash', 'Accounts and tokens')}`);
    const secrets = printed.trim().split('\n');
    expect(secrets.filter((secret) => /^tdg_[\w-]{43}$/.test(secret))).toEqual(secrets);
    const query = '{ viewer { account { name } organization { name } role credential { kind name } } }';
    const viewers = await Promise.all(
      secrets.map((secret) => ask(query, { authorization: `Bearer ${secret}` })),
    );
    const grace = { account: { name: 'Grace' }, organization: { name: 'Example' }, role: 'ADMIN' };
    expect(viewers.map(({ viewer }) => viewer)).toEqual([
      { ...grace, credential: { kind: 'PERSONAL', name: null } },
      { ...grace, credential: { kind: 'SERVICE', name: 'Our runtime' } },
    ]);
  });

  it('stops when it is told to', async () => {
    expect(await server.end()).toContain('"msg":"stopping"');
    expect(existsSync(join(shell.dataDir, 'operator.sock'))).toBe(false);
  });

  it('leaves nothing untried', () => {
    // PostgreSQL has a test of its own.
    take('bash', 'Databases');
    expect(blocks.filter((block) => !taken.has(block))).toEqual([]);
  });
});
