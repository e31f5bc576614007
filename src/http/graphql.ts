import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from '../accounts/viewer.js';
import { badUserInput } from '../errors.js';
import { readBody } from './body.js';
import type { Draining } from './draining.js';
import type { Engine } from './engine.js';
import { streamBehind, writeEventStream } from './event-stream.js';
import { ACCEPTED, acceptedRanges, isGraphQLType, mediaTypeOf, OFFERED } from './media-types.js';
import { refuseSimpleType } from './origin.js';
import type { HttpParts } from './parts.js';
import { tellLeft } from './rate-headers.js';
import { answerError } from './responses.js';

/**
 * Answers a GraphQL request over HTTP, as one answer or as an event stream.
 * @throws DomainError for what is refused before the engine is asked.
 */
export async function handleGraphQL(
  engine: Engine,
  { authority, limits }: HttpParts,
  viewer: Viewer,
  req: IncomingMessage,
  res: ServerResponse,
  draining: Draining,
): Promise<void> {
  const type = mediaTypeOf(req.headers['content-type']);
  if (req.method === 'POST') {
    refuseSimpleType(req);
    if (!isGraphQLType(type)) return answerError(res, unsupported(), { status: 415 });
  }
  const accept = acceptedRanges(req.headers.accept);
  if (accept === '') return answerError(res, unacceptable(), { status: 406 });
  const request = await toRequest(engine, req, { accept, 'content-type': type });
  const left = new AbortController();
  res.once('close', () => left.abort());
  const response = await engine.fetch(request, {
    viewer,
    onLeft: (rest) => tellLeft(res, rest),
    gone: left.signal,
  });
  const bodies = streamBehind(response);
  if (bodies === undefined) return sendResponse(response, res);
  try {
    res.once('close', limits.streams.ofAddress.claim(limits.addresses.of(req)));
    res.once('close', limits.streams.ofCredential.claim(viewer.credentialId));
  } catch (error) {
    await bodies.return();
    throw error;
  }
  await writeEventStream(bodies, res, draining, (ended) => authority.watch(viewer, { ended }));
}

const unsupported = () =>
  badUserInput(`content-type: expected ${ACCEPTED.join(' or ')}, got another or none.`);

const unacceptable = () =>
  badUserInput(`accept: expected one of ${OFFERED.join(', ')}, in UTF-8, or a range that has one.`);

/** All that the engine reads of a request; the rest was looked at before. */
async function toRequest(
  { Request, maxBody }: Engine,
  req: IncomingMessage,
  headers: Readonly<Record<string, string>>,
): Promise<Request> {
  const { method = 'GET', url = '' } = req;
  const body = method === 'POST' ? { body: await readBody(req, maxBody) } : {};
  return new Request(`http://localhost${url}`, { method, headers, ...body });
}

/** Of the engine's headers only those that tell of this answer: what it says beside a stream is not meant for one that was refused. */
async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  const body = await response.text();
  const [type, allow, retryAfter] = ['content-type', 'allow', 'retry-after'].map((name) =>
    response.headers.get(name),
  );
  res.writeHead(response.status, {
    ...(type && { 'content-type': type }),
    ...(allow && { allow }),
    ...(retryAfter && { 'retry-after': retryAfter }),
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  res.end(body);
}
