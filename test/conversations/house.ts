import { createToken } from '../../src/accounts/tokens.js';
import type { Scope } from '../../src/accounts/viewer.js';
import { openHouse } from '../events/house.js';
import type { TestGatewayOptions } from '../gateway.js';

export type ConversationHouse = Awaited<ReturnType<typeof openConversations>>;

/** An entry as `ENTRY` selects it. */
export interface Entry {
  readonly id: string;
  readonly type: 'MESSAGE' | 'TOOL_CALL' | 'ARTIFACT';
  readonly createdAt: string | null;
  readonly role?: string;
  readonly content?: string;
  readonly title?: string;
  readonly status?: string;
  readonly summary?: string | null;
  readonly direction?: string;
  readonly filename?: string;
  readonly contentType?: string | null;
  readonly sizeBytes?: number | null;
}

export interface Entries {
  readonly edges: readonly { readonly cursor: string; readonly node: Entry }[];
  readonly nodes: readonly Entry[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
  readonly checkpoint: string;
}

export const ENTRY = `{
  ... on ConversationItem { id type createdAt }
  ... on MessageEntry { role content }
  ... on ToolCallEntry { title status summary }
  ... on ArtifactEntry { direction filename contentType sizeBytes }
}`;

/** Every argument is optional, as it is in the schema. */
export const ENTRIES = `query ($first: Int, $after: String, $last: Int, $before: String, $types: [ConversationEntryType!], $search: String) {
  conversation {
    conversationId
    entries(first: $first, after: $after, last: $last, before: $before, types: $types, search: $search) {
      edges { cursor node ${ENTRY} } nodes ${ENTRY} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount checkpoint
    }
  }
}`;

export const ALL = ['MESSAGE', 'TOOL_CALL', 'ARTIFACT'];

/** The house of the events' tests, and runs that read the conversation of their session. */
export async function openConversations(options: TestGatewayOptions = {}) {
  const house = await openHouse(options);

  /** The secret of a run in a session, with the scope unless others are given. */
  const runIn = async (sessionId: string, scopes: readonly Scope[] = ['conversation:read']) =>
    (await createToken(house.database, { kind: 'RUN', sessionId, scopes: [...scopes], ttlSeconds: 3_600 }))
      .secret;

  const read = async (token: string, variables: object = {}, document = ENTRIES): Promise<Entries> => {
    const { conversation } = await house.execute<{ conversation: { entries: Entries } }>(document, {
      token,
      variables: { ...variables },
    });
    return conversation.entries;
  };

  return {
    ...house,
    runIn,
    read,

    /** A new session of the member's with these events, and the secret of a run in it. */
    async newConversation(events: readonly object[] = []) {
      const sessionId = await house.newSession();
      if (events.length > 0) await house.append(sessionId, events);
      return { sessionId, token: await runIn(sessionId) };
    },

    /** The code of what a document is refused with; undefined if it is not. */
    async refusal(token: string, document: string, variables: object = {}) {
      const { body } = await house.request<Record<string, unknown>>(document, {
        token,
        variables: { ...variables },
      });
      return body.errors?.map(({ extensions }) => extensions.code).join();
    },
  };
}

export const userMessage = (eventId: string, fields: object = {}) => ({
  userMessage: { eventId, messageId: eventId, text: `Said ${eventId}`, ...fields },
});

export const agentMessage = (eventId: string, fields: object = {}) => ({
  agentMessage: {
    eventId,
    messageId: eventId,
    text: `Said ${eventId}`,
    citations: [],
    suggestedFollowUps: [],
    ...fields,
  },
});

export const activity = (eventId: string, fields: object = {}) => ({
  activity: { eventId, activityId: eventId, status: 'COMPLETED', title: `Did ${eventId}`, ...fields },
});

export const delivered = (eventId: string, ...files: readonly object[]) => ({
  artifactsDelivered: {
    eventId,
    artifacts: (files.length === 0 ? [{}] : files).map((file) => ({
      artifactId: eventId,
      kind: 'AGENT_DELIVERED_FILE',
      filename: `${eventId}.csv`,
      ...file,
    })),
  },
});
