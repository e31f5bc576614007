import { type ClientRequest, request } from 'node:http';
import type { House } from '../events/house.js';

export interface Answer {
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly ignored?: object;
  readonly checkpoint?: string;
  readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

export interface Upload {
  readonly token?: string;
  readonly format?: string;
  /** What the writer calls the stream. */
  readonly stream?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An upload that is still being written, and its answer to come. */
export function beginUpload(
  { url, tokens }: Pick<House, 'url' | 'tokens'>,
  sessionId: string,
  { token = tokens.service, format = 'anthropic-messages', stream, headers }: Upload = {},
) {
  const query = new URLSearchParams({ format, ...(stream !== undefined && { stream }) });
  const upload: ClientRequest = request(`${url}/ingest/${sessionId}?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    agent: false,
  });
  const answer = new Promise<{ status: number; body: Answer }>((resolve, reject) => {
    upload.once('error', reject).once('response', async (response) => {
      const chunks = await response.setEncoding('utf8').toArray();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(chunks.join('')) });
    });
  });
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
