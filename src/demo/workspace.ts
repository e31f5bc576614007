import { createAccount } from '../accounts/actions.js';
import { authenticate } from '../accounts/authenticate.js';
import type { Operation } from '../accounts/operation.js';
import { createToken } from '../accounts/tokens.js';
import { SCOPES } from '../accounts/viewer.js';
import { appendEvents } from '../events/append.js';
import { createSession } from '../events/create-session.js';
import { addElicitations } from './elicitations.js';
import {
  CORAL_REEFS,
  HEAT_PUMPS,
  questionOf,
  type Recording,
  readEvents,
  STREET_TREES,
} from './recordings.js';
import type { DemoTokens } from './tokens.js';

const HOUR = 3_600_000;

/** About how long an agent takes from one event to the next, in ms. */
const BETWEEN_EVENTS = 7_000;

/**
 * Makes an organisation with an admin and a member, one credential of each kind, sessions, and elicitations in each status. Some
 * sessions ended hours ago; the member's live one is what the `run` credential is bound to.
 */
export async function makeWorkspace(means: Omit<Operation, 'viewer'>): Promise<DemoTokens> {
  const { database } = means;
  const organization = 'Demo';
  const admin = await createAccount(database, { name: 'Ada', organization, role: 'ADMIN' });
  const member = await createAccount(database, { name: 'Max', organization, role: 'MEMBER' });
  const as = async (secret: string): Promise<Operation> => ({
    ...means,
    viewer: await authenticate(database, secret),
  });
  const service = await secretOf(
    createToken(database, { kind: 'SERVICE', name: 'Demo agent', accountId: admin.id }),
  );
  const agent = await as(service);
  await addPast(agent, admin.id, CORAL_REEFS, 50);
  await addPast(agent, member.id, STREET_TREES, 26);
  await addPast(agent, member.id, HEAT_PUMPS, 3);
  const live = await createSession(agent, { accountId: member.id, title: 'Live: an agent at work' });
  const scopes = [...SCOPES];
  const tokens = {
    admin: await secretOf(
      createToken(database, { kind: 'PERSONAL', name: 'Demo admin', accountId: admin.id }),
    ),
    member: await secretOf(
      createToken(database, { kind: 'PERSONAL', name: 'Demo member', accountId: member.id }),
    ),
    service,
    run: await secretOf(createToken(database, { kind: 'RUN', name: 'Demo run', sessionId: live.id, scopes })),
  };
  await addElicitations({ service: agent, run: await as(tokens.run), member: await as(tokens.member) });
  return tokens;
}

const secretOf = async (issued: Promise<{ readonly secret: string }>) => (await issued).secret;

/** A session as it would be had it run some hours ago. */
async function addPast(
  agent: Operation,
  ownerId: string,
  recording: Recording,
  hoursAgo: number,
): Promise<void> {
  const { id } = await createSession(agent, { accountId: ownerId, title: recording.title });
  const start = Date.now() - hoursAgo * HOUR;
  const events = [questionOf(recording), ...(await readEvents(recording, id))].map((event, index) => ({
    ...event,
    createdAt: new Date(start + index * BETWEEN_EVENTS),
  }));
  await appendEvents(agent, id, events);
  await agent.database.prisma.session.update({
    where: { id },
    data: { createdAt: new Date(start), updatedAt: new Date(start + events.length * BETWEEN_EVENTS) },
  });
}
