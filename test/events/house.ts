import { randomUUID } from 'node:crypto';
import { schema } from '../../src/schema.js';
import { type RequestOptions, startTestGateway, type TestGatewayOptions } from '../gateway.js';

export type House = Awaited<ReturnType<typeof openHouse>>;

/** A gateway, an organisation with a member, an admin, a runtime and a run, and a stranger of another one; each by its secret. */
export async function openHouse(options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway({ schema, ...options });
  const organization = gateway.createOrganization();
  const admin = await organization.createAccount({ role: 'ADMIN' });
  const member = await organization.createAccount();
  const stranger = await gateway.createOrganization().createAccount();
  const tokens = {
    admin: await admin.createToken(),
    member: await member.createToken(),
    service: await admin.createToken({ kind: 'SERVICE' }),
    stranger: await stranger.createToken(),
    run: await (await member.createSession()).createToken(),
  };
  const ask = <T>(who: keyof typeof tokens, document: string, variables?: RequestOptions['variables']) =>
    gateway.execute<T>(document, { token: tokens[who], variables });

  return {
    ...gateway,
    accounts: { admin, member, stranger },
    tokens,
    ask,

    /** The errors of a document, each as its code and its extensions. */
    async refuse(who: keyof typeof tokens, document: string, variables?: RequestOptions['variables']) {
      const { body } = await gateway.request(document, { token: tokens[who], variables });
      return (body.errors ?? []).map(({ message, extensions }) => ({ message, ...extensions }));
    },

    /** A new session of the member's, with as many activities as asked for, e1, e2 …; its id. */
    async newSession(events = 0): Promise<string> {
      const sessionId = randomUUID();
      await ask(
        'member',
        'mutation ($i: CreateSessionInput!) { createSession(input: $i) { session { id } } }',
        {
          i: { sessionId },
        },
      );
      for (let from = 1; from <= events; from += 500) {
        const count = Math.min(500, events - from + 1);
        await this.append(
          sessionId,
          Array.from({ length: count }, (_, index) => activity(`e${from + index}`)),
        );
      }
      return sessionId;
    },

    /** Appends events in the form of the OneOf input. */
    append: (sessionId: string, events: readonly object[]) =>
      ask<{ appendSessionEvents: Appended }>('service', APPEND, { input: { sessionId, events } }).then(
        (data) => data.appendSessionEvents,
      ),
  };
}

interface Appended {
  readonly session: { readonly sessionId: string; readonly status: string; readonly checkpoint: string };
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly eventId: string } }[];
  readonly duplicates: readonly string[];
  readonly checkpoint: string;
}

export const APPEND = `mutation ($input: AppendSessionEventsInput!) {
  appendSessionEvents(input: $input) {
    session { sessionId status checkpoint } edges { cursor node { ... on SessionEventOccurrence { eventId } } } duplicates checkpoint
  }
}`;

export const activity = (eventId: string) => ({
  activity: { eventId, activityId: 'a1', status: 'STARTED', title: 'Reading' },
});

export const agentMessage = (eventId: string, fields: object = {}) => ({
  agentMessage: { eventId, messageId: 'm1', text: 'Yes.', citations: [], suggestedFollowUps: [], ...fields },
});
