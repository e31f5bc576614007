import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { createToken } from '../../src/accounts/tokens.js';
import { readConfig } from '../../src/config.js';
import { appendEvents } from '../../src/events/append.js';
import { createSession } from '../../src/events/create-session.js';
import { type Gateway, startGateway } from '../../src/gateway.js';
import { type OwnPostgres, startOwnPostgres } from '../servers/own-postgres.js';
import { until } from '../servers/own-process.js';
import { eventually } from '../subscriptions/eventually.js';
import { openRawSocket } from '../subscriptions/raw-socket.js';
import { eventIds, named, SESSION_EVENTS, updateOf } from '../subscriptions/streams.js';

let postgres: OwnPostgres;
let gateway: Gateway;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const config = readConfig({
    PORT: '0',
    TIDINGS_DEMO: 'off',
    RATE_LIMIT: 'off',
    TIDINGS_DRAIN: '0',
    DATABASE_URL: postgres.url,
  });
  gateway = await startGateway(config, { log: pino({ level: 'silent' }), recheckPace: 3_600_000 });
});
afterAll(async () => {
  await gateway.close();
  await postgres.close();
});

const ready = async () => (await fetch(`${gateway.url}/ready`)).status === 200;

it.each(['INT', 'QUIT'] as const)(
  'a stream goes on when PostgreSQL is restarted with %s, without a loss (case 24)',
  async (signal) => {
    const { database } = gateway.means;
    const { id: accountId } = await createAccount(database, { name: 'Reader' });
    const { secret: personal } = await createToken(database, { kind: 'PERSONAL', accountId });
    const { secret: service } = await createToken(database, { kind: 'SERVICE', accountId });
    const operation = { ...gateway.means, viewer: await authenticate(database, service) };
    const { id: sessionId } = await createSession(operation, { sessionId: randomUUID() });
    const append = (eventId: string) =>
      appendEvents({ ...operation }, sessionId, [
        { kind: 'activity', eventId, activityId: 'a1', status: 'STARTED', title: 'Reading' },
      ]);
    const { socket, messages, subscribe } = await openRawSocket(gateway.url, personal);
    subscribe(SESSION_EVENTS, { sessionId });
    const told = () => eventIds(messages.map(({ payload }) => updateOf(payload ?? {})));
    await append('e1');
    await eventually(() => expect(told()).toEqual(named(1, 1)));
    await postgres.stop(signal);
    expect(await ready()).toBe(false);
    await postgres.start();
    await until('the gateway to be ready', ready);
    await append('e2');
    await append('e3');
    await eventually(() => expect(told()).toEqual(named(1, 3)));
    socket.close();
    await eventually(() => expect(gateway.means.tails.size).toBe(0));
  },
);
