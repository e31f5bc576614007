import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { DemoTokens } from '../../src/demo/tokens.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { graphql } from '../generated/gql.js';
import type { DemoFollowSubscription } from '../generated/graphql.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-demo-'));

let gateway: TestGateway;
let tokens: DemoTokens;
beforeAll(async () => {
  gateway = await startTestGateway({ demoPace: 5, env: { TIDINGS_DEMO: 'on', DATA_DIR: directory } });
  tokens = JSON.parse(readFileSync(join(directory, 'tokens.json'), 'utf8'));
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
});

const SESSIONS = graphql(`query DemoSessions {
  sessions { nodes { sessionId title status createdAt updatedAt citedSources { totalCount }
    events { nodes { ... on SessionEventOccurrence { kind createdAt } } } } }
}`);

const ELICITATIONS = graphql(`query DemoElicitations {
  elicitations { nodes { message status reason requestedSchema formSubmission requestedBy { kind }
    session { sessionId } transitions { nodes { to } } } }
}`);

const CALLER = graphql(`query DemoCaller {
  viewer { role credential { kind scopes session { sessionId } } account { name } }
}`);

const FOLLOW = graphql(`subscription DemoFollow($id: ID!) {
  sessionEvents(sessionId: $id) { edges { node { ... on SessionEventOccurrence { kind } } } }
}`);

const ASK = graphql(`mutation DemoAsk($id: ID!) {
  sendMessage(input: { sessionId: $id, text: "And trees?" }) { session { status } }
}`);

const sessionsOf = async (token: string) =>
  (await gateway.execute(SESSIONS, { token })).sessions?.nodes.filter((session) => session !== null) ?? [];

/** The kinds of the events that come, until one of `last` has come. */
async function followUntil(
  updates: AsyncIterator<{ readonly data?: DemoFollowSubscription | null }>,
  last: string,
): Promise<readonly string[]> {
  const kinds: string[] = [];
  while (kinds.at(-1) !== last) {
    const { value } = await updates.next();
    const update: DemoFollowSubscription | null | undefined = value?.data;
    kinds.push(
      ...(update?.sessionEvents?.edges ?? []).flatMap(({ node }) => (node === null ? [] : [node.kind])),
    );
  }
  return kinds;
}

const fieldForm = z.object({
  properties: z.record(z.string(), z.looseObject({ type: z.string(), items: z.looseObject({}).optional() })),
});

/** What tells each field's kind from those of its type. */
const kindsOfFields = (form: unknown): readonly string[] =>
  Object.values(fieldForm.parse(form).properties).map(({ type, format, items, ...field }) => {
    if (items !== undefined) return `array of ${'anyOf' in items ? 'anyOf' : 'enum'}`;
    if (type !== 'string') return type;
    const telling = ['enum', 'oneOf', 'pattern'].find((keyword) => keyword in field);
    return telling ?? `${format ?? 'text'}`;
  });

describe('the demo workspace', () => {
  it('writes its credentials where their owner alone reads them', () => {
    expect(statSync(join(directory, 'tokens.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(tokens).sort()).toEqual(['admin', 'member', 'run', 'service']);
    expect(gateway.logged.join('')).not.toContain('tdg_');
  });

  it('has one caller of each kind', async () => {
    const asked = await Promise.all(Object.values(tokens).map((token) => gateway.execute(CALLER, { token })));
    expect(asked).toMatchObject([
      { viewer: { role: 'ADMIN', credential: { kind: 'PERSONAL' }, account: { name: 'Ada' } } },
      { viewer: { role: 'MEMBER', credential: { kind: 'PERSONAL' }, account: { name: 'Max' } } },
      { viewer: { role: 'ADMIN', credential: { kind: 'SERVICE' } } },
      { viewer: { credential: { kind: 'RUN', scopes: ['conversation:read', 'elicitations:read'] } } },
    ]);
  });

  it('has sessions that ran hours ago, with citations and sources, and a live one', async () => {
    const sessions = await sessionsOf(tokens.admin);
    expect(sessions.map(({ title, status }) => [title, status])).toEqual([
      ['Live: an agent at work', 'COMPLETED'],
      ['Heat pumps in hard frost', 'COMPLETED'],
      ['Street trees and summer heat', 'COMPLETED'],
      ['Can bleached reefs recover?', 'FAILED'],
    ]);
    const [live, ...past] = sessions;
    expect(live?.events?.nodes).toEqual([]);
    for (const { createdAt, updatedAt, citedSources, events } of past) {
      expect(citedSources?.totalCount).toBeGreaterThan(0);
      expect(events?.nodes[0]).toEqual({ kind: 'USER_MESSAGE', createdAt });
      expect(updatedAt > createdAt && updatedAt < (live?.createdAt ?? '')).toBe(true);
    }
    expect((await sessionsOf(tokens.member)).map(({ title }) => title)).not.toContain(
      'Can bleached reefs recover?',
    );
  });

  it('has elicitations in each status, with the steps that led there, and a form with each kind of field', async () => {
    const listed = async () => {
      const { elicitations } = await gateway.execute(ELICITATIONS, { token: tokens.member });
      return elicitations?.nodes.filter((elicitation) => elicitation !== null) ?? [];
    };
    await vi.waitFor(async () => expect((await listed()).map(({ status }) => status)).toContain('EXPIRED'), {
      timeout: 10_000,
      interval: 200,
    });
    const elicitations = await listed();
    const [live] = await sessionsOf(tokens.member);
    const steps = elicitations.map(({ transitions }) => transitions?.nodes.map((step) => step?.to).join(' '));
    expect(steps).toEqual([
      'PENDING',
      'PENDING',
      'PENDING APPROVED',
      'PENDING EXPIRED',
      'PENDING CANCELED',
      'PENDING REJECTED',
      'PENDING APPROVED CONSUMED',
    ]);
    expect(elicitations.map(({ status }) => status)).toEqual(steps.map((path) => path?.split(' ').at(-1)));
    for (const { requestedBy, session } of elicitations) {
      expect(session?.sessionId).toBe(requestedBy.kind === 'RUN' ? live?.sessionId : undefined);
    }
    const [plain, form, answered] = elicitations;
    expect(plain?.requestedSchema).toBeNull();
    expect(new Set(kindsOfFields(form?.requestedSchema))).toEqual(
      new Set([
        'text',
        'pattern',
        'email',
        'uri',
        'date',
        'date-time',
        'integer',
        'number',
        'boolean',
        'enum',
        'oneOf',
        'array of enum',
        'array of anyOf',
      ]),
    );
    expect(answered?.formSubmission).toEqual({ from: 2015, to: 2025 });
    const reasons = elicitations.filter(({ reason }) => reason !== null).map(({ status }) => status);
    expect(reasons).toEqual(['CANCELED', 'REJECTED']);
  });

  it('has an agent that works when it is followed, once, and answers a message', async () => {
    const [live] = await sessionsOf(tokens.member);
    const variables = { id: live?.sessionId ?? '' };
    const subscribe = () => gateway.subscribe(FOLLOW, { token: tokens.member, variables });
    const updates = subscribe();
    const first = await followUntil(updates, 'SESSION_IDLE');
    expect(first.slice(0, 3)).toEqual(['USER_MESSAGE', 'ACTIVITY', 'ACTIVITY']);
    expect(first).toContain('AGENT_MESSAGE');
    const again = subscribe();
    expect(await followUntil(again, 'SESSION_IDLE')).toEqual(first);
    await again.return?.();
    await gateway.execute(ASK, { token: tokens.member, variables });
    const second = await followUntil(updates, 'SESSION_IDLE');
    expect(second[0]).toBe('USER_MESSAGE');
    expect(second.filter((kind) => kind === 'USER_MESSAGE')).toHaveLength(1);
    expect(second).toContain('AGENT_MESSAGE');
    await updates.return?.();
  });
});
