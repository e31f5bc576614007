import type { IncomingMessage, ServerResponse } from 'node:http';
import { runtimeOf } from '../accounts/runtime.js';
import { DomainError, notFound } from '../errors.js';
import { createSession } from '../events/create-session.js';
import { handleIngest, INGEST_PATH, tellOffset } from '../http/ingest.js';
import type { IngestParts } from '../http/parts.js';
import { answerError, answerJson, answerMethod } from '../http/responses.js';
import { readText } from './operator-client.js';

/**
 * What an import asks for, in the name of the account that is to own what it brings: `POST /sessions` makes a session, `/ingest/…` is as
 * it is over HTTP.
 */
export async function answerImport(
  req: IncomingMessage,
  res: ServerResponse,
  parts: IngestParts,
  closing: AbortSignal,
): Promise<void> {
  try {
    const [path = '', query] = (req.url ?? '').split('?');
    const viewer = await runtimeOf(parts.means.database, new URLSearchParams(query).get('account') ?? '');
    const [, sessionId] = INGEST_PATH.exec(path) ?? [];
    if (sessionId !== undefined && req.method === 'HEAD')
      await tellOffset(parts, viewer, sessionId, req, res);
    else if (req.method !== 'POST') answerMethod(res, 'POST');
    else if (sessionId !== undefined) await handleIngest(parts, viewer, sessionId, req, res, closing);
    else if (path === '/sessions') {
      const { id } = await createSession({ ...parts.means, viewer }, JSON.parse(await readText(req)));
      answerJson(res, { sessionId: id });
    } else throw notFound(`Expected /sessions or /ingest, got ${path}.`);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    answerError(res, error);
  }
}
