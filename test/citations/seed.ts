import { randomUUID } from 'node:crypto';
import type { Operation } from '../../src/accounts/operation.js';
import type { Viewer } from '../../src/accounts/viewer.js';
import { appendEvents } from '../../src/events/append.js';
import type { EventInput } from '../../src/events/content.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { Tails } from '../../src/live/tails.js';
import type { TestDatabase } from '../database.js';

/** A database with one owner and, for each call of `newSession`, an empty session of its. */
export interface Seeded {
  readonly database: TestDatabase;
  readonly bus: InProcessBus;
  newSession(): Promise<string>;
  /** Fresh, so with nothing read yet: the owner's runtime, the owner, and somebody else. */
  as(who: 'service' | 'owner' | 'stranger'): Operation;
  append(sessionId: string, ...events: readonly EventInput[]): Promise<void>;
  close(): Promise<void>;
}

const fail = (error: unknown, doing: string): never => {
  throw new Error(`${doing}: ${String(error)}`);
};

export async function openSeeded(database: TestDatabase): Promise<Seeded> {
  const bus = new InProcessBus(fail);
  const tails = new Tails({ bus, onError: fail });
  const [owner, stranger] = await Promise.all([
    newAccount(database, 'owner'),
    newAccount(database, 'stranger'),
  ]);
  const as: Seeded['as'] = (who) => ({
    viewer: viewerOf(who === 'stranger' ? stranger : owner, who === 'service' ? 'SERVICE' : 'PERSONAL'),
    ...{ database, bus, tails, maxAnswer: 32 * 1024 * 1024 },
  });
  const newSession = async () => {
    const id = randomUUID();
    const now = new Date();
    const creationHash = Buffer.alloc(32);
    await database.prisma.session.create({
      data: { id, ownerId: owner, createdAt: now, updatedAt: now, creationHash },
    });
    return id;
  };
  return {
    ...{ database, bus, as, newSession },
    append: async (sessionId, ...events) => {
      await appendEvents(as('service'), sessionId, events);
    },
    close: () => database.close(),
  };
}

async function newAccount({ prisma }: TestDatabase, name: string): Promise<string> {
  const id = randomUUID();
  await prisma.account.create({ data: { id, name, createdAt: new Date() } });
  return id;
}

const viewerOf = (accountId: string, kind: Viewer['kind']): Viewer => ({
  ...{ credentialId: randomUUID(), kind, accountId, organizationId: null, role: null },
  ...{ sessionId: null, scopes: [], expiresAt: null },
});

type MessageInput = Extract<EventInput, { kind: 'agent_message' }>;

let messages = 0;

/** A message with a new eventId that cites what it is given, quotes and ids made up where they do not matter. */
export function message(
  citations: readonly (Partial<MessageInput['citations'][number]> &
    Pick<MessageInput['citations'][number], 'source'>)[],
  fields: Partial<MessageInput> = {},
): MessageInput {
  messages += 1;
  return {
    kind: 'agent_message',
    eventId: `message-${messages}`,
    messageId: 'm1',
    text: 'Text.',
    suggestedFollowUps: [],
    citations: citations.map((citation, index) => ({
      citationId: `c${index + 1}`,
      quote: 'Quoted.',
      ...citation,
    })),
    ...fields,
  };
}
