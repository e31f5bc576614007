import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { graphql } from '../generated/gql.js';
import { missing, openBrowser } from './chromium.js';

if (missing !== undefined) console.warn(`GraphiQL is not tested in a browser: that ${missing}.`);

const directory = mkdtempSync(join(tmpdir(), 'tidings-page-'));

const FIRST = graphql(`query BrowserFirst { sessions(first: 1) { nodes { sessionId title } } }`);
const LAST = graphql(`query BrowserLast { sessions(last: 1) { nodes { sessionId title } } }`);
const APPEND = graphql(`mutation BrowserAppend($input: AppendSessionEventsInput!) {
  appendSessionEvents(input: $input) { checkpoint }
}`);

describe.skipIf(missing !== undefined)('GraphiQL in a browser', () => {
  let gateway: TestGateway;
  let tokens: DemoTokens;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  const requested: URL[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    // The demo's agent rests: what arrives is what the test appends.
    gateway = await startTestGateway({
      demoPace: 3_600_000,
      env: { TIDINGS_DEMO: 'on', DATA_DIR: directory },
    });
    tokens = JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));
    browser = await openBrowser();
    page = await browser.context.newPage();
    browser.context.on('request', (request) => requested.push(new URL(request.url())));
    page.on('websocket', (socket) => requested.push(new URL(socket.url())));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = async (operation: string) => {
    await page.getByRole('button', { name: 'Execute query' }).click();
    await page.getByRole('menuitem', { name: operation, exact: true }).click();
  };
  const stop = () => page.getByRole('button', { name: 'Stop query' }).click();

  const response = async () => (await page.locator('.graphiql-response').textContent()) ?? '';

  /** The editor writes its blanks as no-break spaces. */
  const shows = (text: string) =>
    expect
      .poll(async () => (await response()).replaceAll('\u00a0', ' '), { timeout: 20_000 })
      .toContain(text);

  it('loads, with a query and a subscription for the demo', async () => {
    await page.goto(`${gateway.url}/graphql`);
    await expect.poll(() => page.getByRole('tab').count(), { timeout: 20_000 }).toBe(3);
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
  });

  it('runs the query as the demo member (case 100)', async () => {
    await run('Session');
    await shows('Live: an agent at work');
  });

  it('subscribes over a WebSocket, and shows an event in the moment in which it is appended (case 100)', async () => {
    await run('Live');
    await shows('"caughtUp": true');
    const { sessions } = await gateway.execute(FIRST, { token: tokens.member });
    await gateway.execute(APPEND, {
      token: tokens.service,
      variables: {
        input: {
          sessionId: sessions?.nodes[0]?.sessionId ?? '',
          events: [
            {
              activity: { eventId: 'e1', activityId: 'a1', status: 'STARTED', title: 'Seen in a browser' },
            },
          ],
        },
      },
    });
    await shows('Seen in a browser');
    expect(requested.filter(({ protocol }) => protocol === 'ws:')).toHaveLength(1);
    await stop();
    await expect.poll(() => gateway.means.tails.size).toBe(0);
  });

  it('comes back with its tabs and its credential', async () => {
    await page.reload();
    await expect.poll(() => page.getByRole('tab').count(), { timeout: 20_000 }).toBe(3);
    await run('Session');
    await shows('Seen in a browser');
  });

  it("opens a session's own address", async () => {
    const { sessions } = await gateway.execute(LAST, { token: tokens.member });
    await page.goto(`${gateway.url}/sessions/${sessions?.nodes[0]?.sessionId}`);
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
    await run('Session');
    await shows(sessions?.nodes[0]?.title ?? '');
  });

  it('has asked no other host for anything, and had nothing to complain of (case 100)', () => {
    const { host } = new URL(gateway.url);
    expect(requested.length).toBeGreaterThan(10);
    const elsewhere = requested.filter(
      (url) => url.host !== host && !['data:', 'blob:'].includes(url.protocol),
    );
    expect(elsewhere.map(String)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
