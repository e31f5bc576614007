import { randomUUID } from 'node:crypto';
import { createAccount } from '../../../src/accounts/actions.js';
import { authenticate } from '../../../src/accounts/authenticate.js';
import { createToken } from '../../../src/accounts/tokens.js';
import { openDatabase } from '../../../src/database/open.js';
import { appendEvents } from '../../../src/events/append.js';
import type { EventInput } from '../../../src/events/content.js';
import { createSession } from '../../../src/events/create-session.js';
import { InProcessBus } from '../../../src/live/in-process-bus.js';
import { Tails } from '../../../src/live/tails.js';
import { createPostgres } from '../../database.js';

const EVENTS = 500;
const CITATIONS = 3;

export interface PageSeed {
  readonly databaseUrl: string;
  readonly sessionId: string;
  /** Of a SERVICE credential. */
  readonly token: string;
  drop(): Promise<void>;
}

/** A PostgreSQL database with one session of 500 answers, each with three citations of sources of their own. */
export async function seedPage(): Promise<PageSeed> {
  const { url: databaseUrl, drop } = await createPostgres();
  const database = await openDatabase({ url: databaseUrl });
  const fail = (error: unknown): never => {
    throw error;
  };
  const bus = new InProcessBus(fail);
  const { id: accountId } = await createAccount(database, { name: 'Bench' });
  const { secret: token } = await createToken(database, { kind: 'SERVICE', accountId });
  const operation = {
    viewer: await authenticate(database, token),
    database,
    bus,
    tails: new Tails({ bus, onError: fail }),
    maxAnswer: 32 * 1024 * 1024,
  };
  const { id: sessionId } = await createSession(operation, { sessionId: randomUUID() });
  for (let from = 0; from < EVENTS; from += 100) {
    const answers = Array.from({ length: 100 }, (_, index) => answerOf(from + index + 1));
    await appendEvents(operation, sessionId, answers);
  }
  // As autovacuum would have left it after a while.
  await database.pool.query('ANALYZE');
  await database.close();
  return { databaseUrl, sessionId, token, drop };
}

/** About 1 KB as JSON, citations included. */
const answerOf = (number: number): EventInput => ({
  kind: 'agent_message',
  eventId: `event-${number}`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
  messageId: `message-${number}`,
  text: `Answer ${number}: ${'what the cited trials found, and how sure it is. '.repeat(3)}`,
  citations: Array.from({ length: CITATIONS }, (_, place) => citationOf(number, place)),
  suggestedFollowUps: [],
});

function citationOf(number: number, place: number) {
  const name = `${number}-${place + 1}`;
  return {
    citationId: `citation-${name}`,
    quote: `The effect was ${number} in arm ${place + 1}.`,
    source: {
      sourceRef: `source-${name}`,
      title: `A randomised trial of treatment ${name}`,
      authors: ['A. Author', 'B. Writer'],
      year: 1990 + (number % 30),
      doi: `10.1000/${name}`,
      venue: 'Journal of Trials',
      citationCount: number,
      fullTextAvailable: place === 0,
    },
  };
}
