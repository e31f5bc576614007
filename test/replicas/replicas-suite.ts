import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.js';
import { type Gateway, startGateway } from '../../src/gateway.js';
import { activity, type House, openHouse } from '../events/house.js';
import {
  eventIds,
  named,
  pull,
  pullTo,
  type Result,
  SESSION_EVENTS,
  type Stream,
} from '../subscriptions/streams.js';

/** Nobody finds news by looking for it: what is told was heard of. */
const recheckPace = 3_600_000;

interface Changes {
  readonly elicitationChanges: {
    readonly edges: readonly { readonly node: { readonly transition: { readonly to: string } } }[];
  };
}

/** Two gateways on one PostgreSQL, each with what `env` makes its bus. */
export function replicasSuite(name: string, env: Readonly<Record<string, string>> = {}): void {
  describe(`two gateways on one PostgreSQL, with ${name} between them`, () => {
    let writer: House;
    let other: Gateway;
    const clients: { dispose(): unknown }[] = [];
    beforeAll(async () => {
      writer = await openHouse({ recheckPace, env });
      const config = readConfig({
        ...{
          PORT: '0',
          TIDINGS_DRAIN: '0',
          TIDINGS_DEMO: 'off',
          RATE_LIMIT: 'off',
          DATABASE_URL: writer.database.url,
        },
        ...env,
      });
      other = await startGateway(config, {
        log: pino({ level: 'silent' }),
        recheckPace,
        sweepPace: recheckPace,
      });
    });
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.dispose()));
      await vi.waitFor(() => expect(other.means.tails.size).toBe(0), { timeout: 10_000 });
      await other.close();
      expect(other.listeners()).toBe(0);
      await writer.close();
    });

    /** Subscribes at the other gateway. */
    function follow<T>(
      query: string,
      variables: Readonly<Record<string, unknown>> = {},
      who: 'member' | 'run' = 'member',
    ) {
      const client = createClient({
        url: `${other.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: { authorization: `Bearer ${writer.tokens[who]}` },
      });
      clients.push(client);
      return client.iterate<T>({ query, variables: { ...variables } });
    }
    const followSession = (sessionId: string): Stream =>
      follow(SESSION_EVENTS, { sessionId }) as AsyncIterator<Result>;

    it('an event appended at one is told at the other at once (case 26)', async () => {
      const sessionId = await writer.newSession(2);
      const stream = followSession(sessionId);
      expect(eventIds(await pullTo(stream, sessionId, 2))).toEqual(named(1, 2));
      for (let number = 3; number <= 12; number++) {
        await writer.append(sessionId, [activity(`e${number}`)]);
        expect(eventIds([await pull(stream)])).toEqual([`e${number}`]);
      }
    });

    it('what is appended in portions to many sessions is told at the other, each event once and in order', async () => {
      const sessions = await Promise.all(Array.from({ length: 10 }, () => writer.newSession()));
      const told = sessions.map((sessionId) => pullTo(followSession(sessionId), sessionId, 60));
      await Promise.all(
        sessions.map(async (sessionId) => {
          for (let from = 1; from <= 60; from += 5) {
            await writer.append(sessionId, named(from, from + 4).map(activity));
          }
        }),
      );
      for (const updates of await Promise.all(told)) expect(eventIds(updates)).toEqual(named(1, 60));
    });

    it('a list of sessions is told at the other', async () => {
      const list = follow<{ sessionChanged: { resync: boolean; session: { sessionId: string } | null } }>(
        'subscription { sessionChanged { resync session { sessionId } } }',
      );
      const next = async () => (await list.next()).value?.data?.sessionChanged;
      expect(await next()).toMatchObject({ resync: true });
      const sessionId = await writer.newSession();
      expect(await next()).toMatchObject({ resync: false, session: { sessionId } });
    });

    it('a decision is told at the other', async () => {
      const changes = follow<Changes>(
        'subscription { elicitationChanges(scope: ME) { edges { node { transition { to } } } } }',
      );
      const next = async () => {
        const edges: Changes['elicitationChanges']['edges'] | undefined = (await changes.next()).value?.data
          ?.elicitationChanges.edges;
        return edges?.map(({ node }) => node.transition.to);
      };
      expect(await next()).toEqual([]);
      const { requestElicitation } = await writer.ask<{
        requestElicitation: { elicitation: { elicitationId: string } };
      }>(
        'service',
        `mutation ($i: RequestElicitationInput!) { requestElicitation(input: $i) { elicitation { elicitationId } } }`,
        {
          i: { accountId: writer.accounts.member.accountId, message: 'May I?', idempotencyKey: randomUUID() },
        },
      );
      expect(await next()).toEqual(['PENDING']);
      await writer.ask(
        'member',
        'mutation ($i: RejectElicitationInput!) { rejectElicitation(input: $i) { elicitation { status } } }',
        { i: { elicitationId: requestElicitation.elicitation.elicitationId } },
      );
      expect(await next()).toEqual(['REJECTED']);
    });

    it('both say that they are ready', async () => {
      for (const { url } of [writer, other]) expect((await fetch(`${url}/ready`)).status).toBe(200);
    });
  });
}
