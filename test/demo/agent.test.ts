import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/accounts/authenticate.js';
import type { Operation } from '../../src/accounts/operation.js';
import { DemoAgent } from '../../src/demo/agent.js';
import { appendEvents } from '../../src/events/append.js';
import { sessionLogKey } from '../../src/sessions/topics.js';
import { startTestGateway, type TestGateway } from '../gateway.js';

let gateway: TestGateway;
let operation: Operation;
let newSession: () => Promise<string>;
const agents: DemoAgent[] = [];
const faults: unknown[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  const account = await gateway.createAccount();
  const viewer = await authenticate(gateway.database, await account.createToken({ kind: 'SERVICE' }));
  operation = { ...gateway.means, viewer };
  newSession = async () => (await account.createSession()).sessionId;
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
  expect(faults).toEqual([]);
});
afterAll(() => gateway.close());

/** An agent that somebody follows. */
function start(sessionId: string): DemoAgent {
  const agent = new DemoAgent({ operation, sessionId, pace: 2, onError: (error) => faults.push(error) });
  agents.push(agent);
  agent.follow();
  return agent;
}

const ask = (sessionId: string, id: string) =>
  appendEvents(operation, sessionId, [{ kind: 'user_message', eventId: id, messageId: id, text: 'Really?' }]);

const eventsIn = (sessionId: string) =>
  gateway.database.prisma.event.findMany({
    where: { sessionId },
    orderBy: { number: 'asc' },
    select: { eventId: true, kind: true },
  });
const kindsIn = async (sessionId: string) => (await eventsIn(sessionId)).map(({ kind }) => kind);

/** Resolves when that many more events are there, before the agent does anything else. */
const appended = (sessionId: string, count: number) =>
  new Promise<void>((resolve) => {
    let seen = 0;
    const leave = operation.bus.subscribe(sessionLogKey(sessionId), () => {
      seen += 1;
      if (seen < count) return;
      leave();
      resolve();
    });
  });

/** Waits until that many answers have ended. */
const ended = (sessionId: string, answers: number) =>
  expect
    .poll(async () => (await kindsIn(sessionId)).filter((kind) => kind === 'session_idle').length, {
      timeout: 20_000,
    })
    .toBe(answers);

describe('the agent of the demo', () => {
  it('plays each recording once of itself, whenever the server starts again; then it answers', async () => {
    const sessionId = await newSession();
    for (const round of [1, 2]) {
      const agent = start(sessionId);
      await ended(sessionId, round);
      await agent.close();
    }
    start(sessionId);
    await ask(sessionId, 'asked');
    await ended(sessionId, 3);
    const asked = (await eventsIn(sessionId)).filter(({ kind }) => kind === 'user_message');
    expect(asked.map(({ eventId }) => eventId)).toEqual([
      'demo-question-heat-pumps.jsonl',
      'demo-question-street-trees.jsonl',
      'asked',
    ]);
  });

  it('goes on with an answer that the end of the server broke off', async () => {
    const [whole, broken] = [await newSession(), await newSession()];
    start(whole);
    await ended(whole, 1);
    const fourth = appended(broken, 4);
    const agent = start(broken);
    await fourth;
    await agent.close();
    expect(await kindsIn(broken)).toHaveLength(4);
    start(broken);
    await ended(broken, 1);
    expect(await kindsIn(broken)).toEqual(await kindsIn(whole));
  });

  it('answers what comes while it is busy afterwards', async () => {
    const sessionId = await newSession();
    const third = appended(sessionId, 3);
    start(sessionId);
    await third;
    await ask(sessionId, 'meanwhile');
    await ended(sessionId, 2);
    const kinds = await kindsIn(sessionId);
    const [first, second] = [kinds.indexOf('session_idle'), kinds.lastIndexOf('session_idle')];
    expect(kinds.slice(0, first)).toContain('user_message');
    expect(kinds.slice(first + 1, second)).not.toContain('user_message');
    expect(kinds.slice(0, first).filter((kind) => kind === 'methods')).toHaveLength(1);
    expect(kinds.slice(first + 1, second)).toContain('agent_message');
  });
});
