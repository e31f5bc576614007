import { randomUUID } from 'node:crypto';
import { createAccount } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { createToken } from '../../src/accounts/tokens.js';
import { readConfig } from '../../src/config.js';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { createSession } from '../../src/events/create-session.js';
import { startGateway } from '../../src/gateway.js';
import { openTestDatabase } from '../database.js';

export interface BenchOptions {
  /** Less of everything: to see that it runs, not for figures. */
  readonly quick: boolean;
}

/** What carries hints between processes; the last two need PostgreSQL. */
export type BusName = 'in-process' | 'postgresql' | 'redis';

/** Variables of a gateway for benches. */
export const benchVariables = (bus: BusName, url: string | undefined) => ({
  PORT: '0',
  TIDINGS_DEMO: 'off',
  RATE_LIMIT: 'off',
  TIDINGS_ADDRESS_STREAMS: '100000',
  TIDINGS_CREDENTIAL_STREAMS: '100000',
  LOG_LEVEL: 'error',
  ...(bus !== 'in-process' && { DATABASE_URL: url ?? '' }),
  ...(bus === 'redis' && { REDIS_URL: process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379' }),
});

/** A gateway with one session, over a database of its own: embedded in memory, or PostgreSQL with TEST_DATABASE=postgresql. */
export async function openBenchHouse(bus: BusName = 'in-process') {
  const database = await openTestDatabase();
  const config = readConfig(benchVariables(bus, database.url));
  const { url, means, close } = await startGateway(config, { database });
  const { id: accountId } = await createAccount(database, { name: 'Bench' });
  const { secret: token } = await createToken(database, { kind: 'SERVICE', accountId });
  const operation = { ...means, viewer: await authenticate(database, token) };
  const { id: sessionId } = await createSession(operation, { sessionId: randomUUID() });
  return {
    url,
    token,
    sessionId,
    operation,
    kind: database.kind,
    database,
    append: (events: readonly EventInput[]) => appendEvents(operation, sessionId, events),
    close,
  };
}

/** A message of an agent of about as many bytes. */
export const messageOf = (eventId: string, bytes: number): EventInput => ({
  kind: 'agent_message',
  eventId,
  messageId: eventId,
  text: 'x'.repeat(bytes),
  citations: [],
  suggestedFollowUps: [],
});

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
