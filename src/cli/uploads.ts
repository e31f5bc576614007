import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { reach, understood } from './answers.js';
import type { ServerAddress } from './server.js';

/** What the server made of a recording. */
const ingested = z.object({
  accepted: z.number(),
  duplicates: z.number(),
  ignored: z.record(z.string(), z.number()),
});
export type Ingested = z.output<typeof ingested>;

/** Begins a request of a server, wherever that listens. */
export type Ask = (method: string, path: string, headers?: Readonly<Record<string, string>>) => ClientRequest;

/** By node:http, since fetch gives up on an answer that takes minutes to come, as one to a paced upload does. */
export const askOver =
  ({ url, token }: Pick<ServerAddress, 'url' | 'token'>): Ask =>
  (method, path, headers) =>
    (/^https:/i.test(url) ? requestHttps : requestHttp)(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });

/** The text of an answer. `url` names the server in errors. @throws Unreachable */
export function answerOf(
  url: string,
  request: ClientRequest,
  body: AsyncIterable<string | Buffer>,
): Promise<string> {
  const answered = new Promise<string>((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then((chunks) => resolve(chunks.join('')), reject);
    });
  });
  // A server that refuses answers before it has everything; its answer says more than the broken pipe.
  const sent = pipeline(body, request).catch(() => undefined);
  return reach(url, async () => {
    const answer = await answered;
    await sent;
    return answer;
  });
}

/** Sends a raw stream. @throws CommandError with what the server said, Unreachable. */
export const upload = async (
  url: string,
  request: ClientRequest,
  body: AsyncIterable<string | Buffer>,
): Promise<Ingested> => understood(url, ingested, await answerOf(url, request, body));

/** How far a named stream was read, in bytes; undefined where the server does not say. @throws Unreachable */
export const offsetOf = (url: string, request: ClientRequest): Promise<number | undefined> =>
  reach(url, async () => {
    const answered = once(request, 'response');
    request.end();
    const [response]: IncomingMessage[] = await answered;
    const offset = Number(response?.headers['ingest-offset'] ?? Number.NaN);
    response?.resume();
    return Number.isSafeInteger(offset) ? offset : undefined;
  });

/** What was made of it, in words. */
export function inWords({ accepted, duplicates, ignored }: Ingested): string {
  const left = Object.entries(ignored).map(([kind, count]) => `${count} × ${kind}`);
  const again = duplicates > 0 ? `, ${duplicates} were there already` : '';
  return `${accepted} events${again}${left.length > 0 ? `; ignored: ${left.join(', ')}` : ''}`;
}
