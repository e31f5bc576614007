import type { ArtifactKind } from '../artifacts/content.js';
import { stripMarkup } from '../citations/markup.js';
import { type EventRow, type RawEvent, toEventRow } from '../events/event.js';
import type { SizedEvent } from '../events/store.js';
import type { ConversationEntryType } from '../generated/prisma/enums.js';

export interface MessageContent {
  readonly type: 'MESSAGE';
  readonly role: 'USER' | 'ASSISTANT';
  /** Without citation markup; the event keeps it. */
  readonly content: string;
}

/** A tool call that has settled, as its activity tells it, without citation markup: never its arguments, never its result (P10). */
export interface ToolCallContent {
  readonly type: 'TOOL_CALL';
  readonly title: string;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly summary: string | null;
}

/** A file's metadata, never a URL. */
export interface ArtifactContent {
  readonly type: 'ARTIFACT';
  readonly direction: 'UPLOADED' | 'DELIVERED';
  readonly filename: string;
  readonly contentType: string | null;
  readonly sizeBytes: number | null;
}

export type EntryContent = MessageContent | ToolCallContent | ArtifactContent;

/** What an event says of one entry. */
export interface EntrySnapshot {
  /** Names the entry in its session: snapshots of one message, tool call or file share it. */
  readonly key: string;
  readonly createdAt: Date | null;
  readonly content: EntryContent;
  /** Whether it is none of the conversation's: of a file that the agent kept for itself. */
  readonly isAside: boolean;
}

/** Kinds of files that do not go to the user: not delivered, or what a report only refers to. */
const KEPT_KINDS: ReadonlySet<string> = new Set<ArtifactKind>(['AGENT_SAVED_FILE', 'REPORT_CITATION']);

/**
 * The one rule of what a conversation has: the entries of an event in their order, and what lies between them aside. It is used to write
 * them and to read them, so an entry needs to keep no more than its event and its place there. Any activity that has settled is a tool
 * call: its event does not tell one from other work.
 */
export function entriesOf(event: EventRow): readonly EntrySnapshot[] {
  const { createdAt } = event;
  switch (event.kind) {
    case 'user_message':
      return [messageOf('USER', event, createdAt), ...uploadsOf(event, createdAt)];
    case 'agent_message':
      return [messageOf('ASSISTANT', event, createdAt)];
    case 'activity':
      return event.status === 'STARTED' ? [] : [toolCallOf({ ...event, status: event.status }, createdAt)];
    case 'artifacts_delivered':
      return event.artifacts.map((file) => deliveredOf(file, file.createdAt ?? createdAt));
    default:
      return [];
  }
}

interface Message {
  readonly messageId: string;
  readonly text: string;
}

const messageOf = (
  role: MessageContent['role'],
  { messageId, text }: Message,
  createdAt: Date | null,
): EntrySnapshot => ({
  key: `${role === 'USER' ? 'user' : 'assistant'}:${messageId}`,
  createdAt,
  content: { type: 'MESSAGE', role, content: stripMarkup(text) },
  isAside: false,
});

/** As events keep them. */
interface File {
  readonly filename: string;
  readonly contentType?: string | null | undefined;
  readonly sizeBytes?: number | null | undefined;
}

/** A user's files have no ids: each is named by its message and its place there. */
const uploadsOf = (
  { messageId, files }: { readonly messageId: string; readonly files: readonly File[] },
  createdAt: Date | null,
): EntrySnapshot[] =>
  files.map((file, place) => ({
    key: `upload:${place}:${messageId}`,
    createdAt,
    content: artifactOf('UPLOADED', file),
    isAside: false,
  }));

const deliveredOf = (
  file: File & { readonly artifactId: string; readonly kind: ArtifactKind },
  createdAt: Date | null,
): EntrySnapshot => ({
  key: `file:${file.artifactId}`,
  createdAt,
  content: artifactOf('DELIVERED', file),
  isAside: KEPT_KINDS.has(file.kind),
});

const artifactOf = (
  direction: ArtifactContent['direction'],
  { filename, contentType = null, sizeBytes = null }: File,
): ArtifactContent => ({ type: 'ARTIFACT', direction, filename, contentType, sizeBytes });

interface SettledActivity {
  readonly activityId: string;
  readonly title: string;
  readonly status: ToolCallContent['status'];
  readonly summary?: string | null | undefined;
}

const toolCallOf = (
  { activityId, title, status, summary = null }: SettledActivity,
  createdAt: Date | null,
): EntrySnapshot => ({
  key: `tool:${activityId}`,
  createdAt,
  content: {
    type: 'TOOL_CALL',
    title: stripMarkup(title),
    status,
    summary: summary === null ? null : stripMarkup(summary),
  },
  isAside: false,
});

/** An entry as it is read: its own place and time, and what its latest event says. */
export interface EntryRow {
  readonly sessionId: string;
  /** 1, 2, 3 … within the conversation, in order of first appearance. */
  readonly number: number;
  readonly type: ConversationEntryType;
  /** When it first appeared; null for a historical one without a time. */
  readonly createdAt: Date | null;
  /** Null if this version cannot read the event. */
  readonly content: EntryContent | null;
  /** About how many bytes it holds in memory. */
  readonly size: number;
}

/** A change of a conversation, numbered in their log, with the entry that it is about as it was when the change was read. */
export interface EntryChange {
  readonly number: number;
  readonly entry: EntryRow;
}

export type EntryOf<T extends EntryContent['type']> = EntryRow & {
  readonly content: Extract<EntryContent, { readonly type: T }>;
};

/** An entry as the database gives it: its own columns beside those of its event. */
export type RawEntry = RawEvent & {
  readonly entryNumber: number;
  readonly type: ConversationEntryType;
  readonly position: number;
  readonly appearedAt: Date | null;
};

/** An entry whose payload is read only if all that are read with it are not too large. */
export type SizedEntry = Omit<RawEntry, 'payload'> & SizedEvent;

export function toEntryRow({ entryNumber, type, position, appearedAt, ...raw }: RawEntry): EntryRow {
  const event = toEventRow(raw);
  const content = entriesOf(event)[position]?.content;
  return {
    sessionId: event.sessionId,
    number: entryNumber,
    type,
    createdAt: appearedAt,
    content: content?.type === type ? content : null,
    size: event.size,
  };
}
