import { z } from 'zod';
import { artifactSnapshot, deliveredOutputSnapshot } from '../artifacts/snapshots.js';
import { instant } from '../instant.js';
import {
  ACTIVITY_STATUSES,
  AGENT_ERROR_CODES,
  type EventContent,
  isKnownKind,
  type KnownKind,
  MESSAGE_COMPLETIONS,
  RESPONSE_FORMATS,
} from './content.js';

/** Text that may be missing. */
const maybe = z.string().nullish();
const count = z.number().nullish();
const options = z.array(z.object({ optionId: z.string(), label: z.string() }));
const askedFor = { questionId: z.string(), text: z.string(), responseFormat: z.enum(RESPONSE_FORMATS) };
const nothing = z.object({});

/**
 * What each kind keeps in `Event.payload`, as it is read back: the door's limits are not repeated, fields that a later version adds
 * are passed over, and what cannot be understood is no error but an unreadable event.
 */
const STORED = {
  user_message: z.object({
    messageId: z.string(),
    text: z.string(),
    isInitial: z.boolean(),
    files: z.array(z.object({ filename: z.string(), contentType: maybe, sizeBytes: count })),
  }),
  agent_message: z.object({
    messageId: z.string(),
    text: z.string(),
    suggestedFollowUps: z.array(z.string()),
    completion: z.enum(MESSAGE_COMPLETIONS),
  }),
  methods: z.object({
    messageId: z.string(),
    approach: z.string(),
    summary: maybe,
    sections: z.array(z.object({ heading: z.string(), body: z.string() })),
    keyJudgments: z.array(z.string()),
    searches: z.array(
      z.object({
        source: z.string(),
        query: z.string(),
        maxResults: count,
        resultsCount: count,
        searchedAt: instant().nullish(),
      }),
    ),
    evidenceBase: z.object({ sourceCount: z.number(), earliestYear: count, latestYear: count }).nullish(),
    artifacts: z.array(z.object({ artifactId: maybe, title: z.string() })),
  }),
  question: z.object({
    ...askedFor,
    options: options.nullish(),
    prefilledText: maybe,
    questions: z.array(z.object({ ...askedFor, options: options.nullish() })).nullish(),
  }),
  activity: z.object({
    activityId: z.string(),
    status: z.enum(ACTIVITY_STATUSES),
    title: z.string(),
    summary: maybe,
  }),
  artifacts_delivered: z.object({ artifacts: z.array(artifactSnapshot) }),
  delivered_outputs: z.object({ deliveredOutputs: z.array(deliveredOutputSnapshot) }),
  error: z.object({ code: z.enum(AGENT_ERROR_CODES), message: z.string(), retryable: z.boolean() }),
  session_idle: nothing,
  session_paused: nothing,
  session_resumed: nothing,
  stop_requested: nothing,
  session_stopped: nothing,
} satisfies Record<KnownKind, z.ZodType>;

/** Zod says of an object without fields that every field is `never`, which `kind` would contradict. */
type FieldsOf<S extends z.ZodType> = string extends keyof z.output<S> ? unknown : z.output<S>;

type StoredContent = { [K in KnownKind]: { readonly kind: K } & FieldsOf<(typeof STORED)[K]> }[KnownKind];

/** Of a kind that this version does not know, or of a known one whose payload cannot be read: then `payload` is null. */
interface UnknownContent {
  readonly kind: 'unknown';
  readonly rawKind: string;
  readonly payload: unknown;
}

/** A kind and its own fields, discriminated by `kind`. */
export type ReadContent = StoredContent | UnknownContent;

/** Reads a stored payload; never throws, so one unreadable event costs a page nothing but itself. */
export function readPayload(kind: string, payload: unknown): ReadContent {
  if (!isKnownKind(kind)) return { kind: 'unknown', rawKind: kind, payload };
  const read = STORED[kind].safeParse(payload);
  return read.success ? storedContent(kind, read.data) : { kind: 'unknown', rawKind: kind, payload: null };
}

/** The schema was chosen by this very kind, a link that the types lose in the look-up. */
const storedContent = (kind: KnownKind, fields: object) => ({ kind, ...fields }) as StoredContent;

/** What becomes a row of its own: the columns of `Event` that a content decides. */
export interface StoredFields {
  /** The kind as it is stored: an unknown one under its own name. */
  readonly kind: string;
  /** JSON text: the kind's own fields; of a message's citations, which are rows of their own, no more than how much they are. */
  readonly payload: string;
  /** The id that snapshots of one thing share, where the kind has one. */
  readonly resourceId: string | null;
}

export function storedFields(content: EventContent): StoredFields {
  if (content.kind === 'unknown') {
    return { kind: content.rawKind, payload: JSON.stringify(content.payload), resourceId: null };
  }
  const payload = JSON.stringify({
    ...content,
    kind: undefined,
    eventId: undefined,
    createdAt: undefined,
    historical: undefined,
    citations: undefined,
    citationBytes: citationBytesOf(content),
  });
  return { kind: content.kind, payload, resourceId: resourceOf(content) };
}

/**
 * What `readPayload` gives of what `storedFields` keeps, without writing and reading it; a message's citations are not of it. `json` is
 * that payload, which only an unknown kind needs to be read again: it may be of any shape.
 */
export function contentAsRead(content: EventContent, json: string): ReadContent {
  if (content.kind === 'unknown') return readPayload(content.rawKind, JSON.parse(json));
  const { eventId: _, createdAt: __, historical: ___, ...read } = content;
  if (read.kind !== 'agent_message') return read;
  const { citations: ____, ...message } = read;
  return message;
}

/** Bytes that an event about to be written shows beside its payload, as `bytesBeside`. */
export const bytesToShowBeside = (content: EventContent): number => citationBytesOf(content) ?? 0;

const citationBytesOf = (content: EventContent): number | undefined =>
  content.kind === 'agent_message' && content.citations.length > 0
    ? JSON.stringify(content.citations).length
    : undefined;

/** Bytes that an event shows beside its payload, roughly: a message's citations. */
export function bytesBeside(kind: string, payload: unknown): number {
  if (kind !== 'agent_message' || typeof payload !== 'object' || payload === null) return 0;
  return 'citationBytes' in payload && typeof payload.citationBytes === 'number' ? payload.citationBytes : 0;
}

function resourceOf(content: EventContent): string | null {
  switch (content.kind) {
    case 'user_message':
    case 'agent_message':
    case 'methods':
      return content.messageId;
    case 'question':
      return content.questionId;
    case 'activity':
      return content.activityId;
    default:
      return null;
  }
}
