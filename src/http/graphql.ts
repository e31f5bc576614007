import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '../accounts/viewer.js';
import { readBody } from './body.js';
import type { Engine } from './engine.js';
import { streamBehind, writeEventStream } from './event-stream.js';
import { refuseSimpleType } from './origin.js';

/**
 * Answers a GraphQL request over HTTP, as one answer or as an event stream.
 * @throws DomainError for what is refused before the engine is asked.
 */
export async function handleGraphQL(
  engine: Engine,
  viewer: Viewer,
  req: IncomingMessage,
  res: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const response = await engine.fetch(await toRequest(engine, req), viewer);
  const updates = streamBehind(response);
  if (updates === undefined) await sendResponse(response, res);
  else await writeEventStream(updates, res, closing);
}

/** All that the engine reads of a request; the rest was looked at before. */
async function toRequest({ Request, maxBody }: Engine, req: IncomingMessage): Promise<Request> {
  const { accept, 'content-type': type } = req.headers;
  const { method = 'GET', url = '' } = req;
  if (method === 'POST') refuseSimpleType(req);
  return new Request(`http://localhost${url}`, {
    method,
    headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
    ...(method === 'POST' && { body: await readBody(req, maxBody) }),
  });
}

async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  const body = await response.text();
  // Yoga's event streams name an encoding that is none.
  response.headers.delete('content-encoding');
  res.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  res.end(body);
}
