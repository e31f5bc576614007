import { type ClientRequest, request } from 'node:http';
import type { House } from '../events/house.js';

export interface Answer {
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly ignored?: object;
  readonly kinds?: Readonly<Record<string, { readonly accepted: number; readonly duplicates: number }>>;
  readonly checkpoint?: string;
  readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

export interface Upload {
  readonly token?: string;
  readonly format?: string;
  /** What the writer calls the stream. */
  readonly stream?: string;
  /** Where it goes on. */
  readonly offset?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An upload that is still being written, and its answer to come. */
export function beginUpload(
  { url, tokens }: Pick<House, 'url' | 'tokens'>,
  sessionId: string,
  { token = tokens.service, format = 'anthropic-messages', stream, offset, headers }: Upload = {},
) {
  const query = new URLSearchParams({ format, ...(stream !== undefined && { stream }) });
  const upload: ClientRequest = request(`${url}/ingest/${sessionId}?${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(offset !== undefined && { 'ingest-offset': String(offset) }),
      ...headers,
    },
    agent: false,
  });
  const answer = new Promise<{ status: number; offset: number | undefined; body: Answer }>(
    (resolve, reject) => {
      upload.once('error', reject).once('response', async (response) => {
        const chunks = await response.setEncoding('utf8').toArray();
        resolve({
          status: response.statusCode ?? 0,
          offset: offsetIn(response.headers['ingest-offset']),
          body: JSON.parse(chunks.join('')),
        });
      });
    },
  );
  // Some tests never look.
  answer.catch(() => undefined);
  return { upload, answer, send: (...objects: readonly unknown[]) => upload.write(lines(objects)) };
}

export function sendUpload(
  house: Pick<House, 'url' | 'tokens'>,
  sessionId: string,
  body: string | Uint8Array,
  upload?: Upload,
) {
  const begun = beginUpload(house, sessionId, upload);
  begun.upload.end(body);
  return begun.answer;
}

const offsetIn = (header: unknown) => (header === undefined ? undefined : Number(header));

/** How far the server says that it has read a stream; undefined when it does not say. */
export async function askOffset(
  { url, tokens }: Pick<House, 'url' | 'tokens'>,
  sessionId: string,
  stream: string,
  token = tokens.service,
) {
  const query = new URLSearchParams({ stream, format: 'anthropic-messages' });
  const { status, headers } = await fetch(`${url}/ingest/${sessionId}?${query}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  });
  return { status, offset: offsetIn(headers.get('ingest-offset') ?? undefined) };
}

/** JSON lines; lists of objects, however deep, stand for what they hold. */
export const lines = (objects: readonly unknown[]) =>
  objects
    .flat(5)
    .map((object) => `${JSON.stringify(object)}\n`)
    .join('');

export const codeOf = ({ status, body }: { status: number; body: Answer }) => [
  status,
  body.errors?.[0]?.extensions.code,
];
