import { type EventInput, MAX_FILES } from '../events/content.js';
import { MAX_TEXT } from '../parse.js';
import { emit } from './ids.js';
import { base64Bytes, isObject, type JsonObject, objectAt, stringAt } from './json.js';
import { publicText } from './public-text.js';
import { publicFile } from './redaction.js';
import type { Step } from './reducer.js';

type UploadedFile = NonNullable<Extract<EventInput, { kind: 'user_message' }>['files']>[number];

/** What a user said, as models are told it: a text, or a list of parts. */
export interface UserContent {
  readonly text: string;
  readonly files: readonly UploadedFile[];
}

/** Reads it. Of a file that comes with it, its name, type and size are known; its bytes, or where it lies, are not told. */
export function userContent(content: unknown): UserContent {
  if (typeof content === 'string') return { text: content, files: [] };
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const files = parts.filter(({ type }) => FILES.has(String(type))).slice(0, MAX_FILES);
  return { text: textIn(parts), files: files.map(uploadedFile) };
}

/** The text of a list of content parts. */
export const textIn = (parts: readonly JsonObject[]): string =>
  parts
    .filter(({ type }) => type === 'text')
    .map((part) => stringAt(part, 'text') ?? '')
    .join('');

const FILES: ReadonlySet<string> = new Set([
  'image',
  'image_url',
  'audio',
  'video',
  'document',
  'binary',
  'file',
]);

function uploadedFile(part: JsonObject, index: number): UploadedFile {
  const source = objectAt(part, 'source') ?? part;
  const data = source.type === 'data' ? stringAt(source, 'value') : stringAt(source, 'data');
  const { filename, contentType, sizeBytes } = publicFile(
    {
      filename: part.filename ?? part.title,
      mime_type: source.mimeType ?? source.mime_type ?? source.media_type,
      size_bytes: data === undefined ? undefined : base64Bytes(data),
    },
    index + 1,
  );
  return { filename, contentType, sizeBytes };
}

/** Emits what the user said. Nothing said is no message. */
export function publishUserMessage(
  step: Step<unknown>,
  messageId: string,
  { text, files }: UserContent,
): void {
  if (text.trim() === '' && files.length === 0) return;
  const said = publicText(text, MAX_TEXT);
  emit(step, { kind: 'user_message', messageId, text: said, files: [...files] }, messageId);
}
