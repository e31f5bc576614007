import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { lockPlace } from '../accounts/locks.js';
import type { Operation } from '../accounts/operation.js';
import { mayWrite, noSuchSession, type Ownership } from '../accounts/ownership.js';
import { findOwnership } from '../accounts/tokens.js';
import { asUuid } from '../accounts/uuids.js';
import type { Viewer } from '../accounts/viewer.js';
import { transact } from '../database/transact.js';
import { badUserInput, forbidden, notFound } from '../errors.js';
import { canonicalJson, hashOf } from '../events/content-hash.js';
import { id, optional, parse, text } from '../parse.js';
import { askerOf, mayAsk } from './access.js';
import { bodyText } from './bodies.js';
import { keyTaken } from './conflicts.js';
import { parseRequestedSchema } from './form-schema.js';
import { elicitationByKey } from './loaders.js';
import { insertElicitation, type NewElicitation, nextNumbers } from './record-store.js';
import type { ElicitationRow } from './store.js';
import { announce } from './topics.js';

/** The longest message, in UTF-16 units. */
const MAX_MESSAGE = 4_000;

const MAX_TTL = 2 ** 31 - 1;

const requestInput = z.strictObject({
  message: text(MAX_MESSAGE, 1),
  context: z.unknown().optional(),
  requestedSchema: z.unknown().optional(),
  expiresAt: optional(z.date()),
  ttlSeconds: optional(z.number().int().min(1, 'expected at least 1 second').max(MAX_TTL)),
  sessionId: optional(id()),
  accountId: optional(id()),
  idempotencyKey: optional(id()),
});
type RequestInput = z.output<typeof requestInput>;

/** What is asked, as far as its own fields say. */
type Request = Omit<NewElicitation, 'accountId' | 'organizationId' | 'expiresAt' | keyof Numbers> & {
  readonly end: Pick<RequestInput, 'expiresAt' | 'ttlSeconds'>;
};
type Numbers = Awaited<ReturnType<typeof nextNumbers>>;

/**
 * Asks a person for approval, or for a form's answers. With an idempotencyKey that the asker has used, the same content gives the elicitation
 * that it made, however it stands by now.
 * @throws FORBIDDEN for a person or a run that names another account; BAD_USER_INPUT with the path; NOT_FOUND for a session that one may
 * not write to and for an account that the runtime does not serve; CONFLICT for a key that came before with other content, with
 * `current`, what has it.
 */
export async function requestElicitation(operation: Operation, input: unknown): Promise<ElicitationRow> {
  const { viewer } = operation;
  const given = parse(requestInput, input);
  requireOwnAccount(viewer, given.accountId);
  const request = prepare(viewer, given);
  const known = await findKnown(operation, request);
  if (known !== undefined) return known;
  const session = await findSession(operation, request.sessionId);
  const accountId =
    given.accountId === undefined ? (session?.ownerId ?? viewer.accountId) : asUuid(given.accountId);
  const written = await transact(operation.database, async (tx) => {
    const place =
      accountId === undefined ? null : await lockPlace(tx, accountId, (place) => mayAsk(viewer, place));
    if (place === null) throw noSuchAccount();
    const numbers = await nextNumbers(tx, place, request.sessionId);
    const expiresAt = endOf(request.end, numbers.createdAt);
    return insertElicitation(tx, { ...request, ...place, ...numbers, expiresAt });
  });
  if (written !== null) {
    announce(operation, written.heads);
    return written.row;
  }
  const rival = await findKnown(operation, request);
  if (rival === undefined) throw new Error('An elicitation that took a key was not there (elicitations-3).');
  return rival;
}

function prepare(viewer: Viewer, given: RequestInput): Request {
  const { message, idempotencyKey = null, expiresAt, ttlSeconds } = given;
  if (expiresAt !== undefined && ttlSeconds !== undefined) {
    throw badUserInput('input: expected expiresAt or ttlSeconds, got both. Say once when it ends.');
  }
  const context = given.context ?? null;
  const requestedSchema =
    (given.requestedSchema ?? null) === null
      ? null
      : parseRequestedSchema(given.requestedSchema, 'input.requestedSchema');
  const sessionId = given.sessionId === undefined ? runSession(viewer) : (asUuid(given.sessionId) ?? null);
  if (given.sessionId !== undefined && sessionId === null) throw noSuchSession();
  return {
    id: randomUUID(),
    sessionId,
    requestedById: viewer.credentialId,
    by: viewer.accountId,
    askerId: askerOf(viewer),
    idempotencyKey,
    contentHash: contentHash(given),
    message,
    end: { expiresAt, ttlSeconds },
    context: bodyText(context, 'input.context'),
    requestedSchema: bodyText(requestedSchema, 'input.requestedSchema'),
  };
}

const runSession = ({ kind, sessionId }: Viewer): string | null => (kind === 'RUN' ? sessionId : null);

/** Of the request as sent, defaults not filled in: a retry is the same, whatever the clock says and whoever is the default by then. */
function contentHash({ idempotencyKey: _, context, requestedSchema, ...sent }: RequestInput): Buffer {
  const ids = { sessionId: sent.sessionId?.toLowerCase(), accountId: sent.accountId?.toLowerCase() };
  // Bodies are data: a null in them says something.
  return hashOf([
    { ...sent, ...ids },
    canonicalJson(context ?? null),
    canonicalJson(requestedSchema ?? null),
  ]);
}

/** What this request made when it came before. @throws CONFLICT when its key came with other content. */
async function findKnown(operation: Operation, request: Request): Promise<ElicitationRow | undefined> {
  const { idempotencyKey, contentHash } = request;
  if (idempotencyKey === null) return undefined;
  const known = await elicitationByKey(operation, idempotencyKey);
  if (known === undefined || contentHash.equals(known.contentHash)) return known;
  throw await keyTaken(operation, known);
}

/** @throws FORBIDDEN, before any look-up. */
function requireOwnAccount({ kind, accountId: own }: Viewer, accountId: string | undefined): void {
  if (kind === 'SERVICE' || accountId === undefined || asUuid(accountId) === own) return;
  throw forbidden(`input.accountId: a ${kind} credential asks its own account alone. Leave it out.`);
}

/** @throws NOT_FOUND unless the viewer may write to it, or is the run in it. */
async function findSession(
  { database, viewer }: Operation,
  sessionId: string | null,
): Promise<Ownership | null> {
  if (sessionId === null) return null;
  const session = await findOwnership(database.prisma, sessionId);
  const own =
    viewer.kind === 'RUN' ? sessionId === viewer.sessionId : session !== null && mayWrite(viewer, session);
  if (session === null || !own) throw noSuchSession();
  return session;
}

/** @throws BAD_USER_INPUT when it would be over before it began, on the database's clock. */
function endOf({ expiresAt, ttlSeconds }: Request['end'], createdAt: Date): Date | null {
  if (ttlSeconds !== undefined) return new Date(createdAt.getTime() + ttlSeconds * 1_000);
  if (expiresAt === undefined) return null;
  if (expiresAt > createdAt) return expiresAt;
  const now = createdAt.toISOString();
  throw badUserInput(`input.expiresAt: expected an instant after now (${now}).`, { path: 'input.expiresAt' });
}

const noSuchAccount = () =>
  notFound('input.accountId: expected the id of an account that this runtime serves. Check it.');
