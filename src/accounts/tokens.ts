import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { badUserInput, notFound } from '../errors.js';
import { type Credential, Prisma } from '../generated/prisma/client.js';
import { CredentialKind } from '../generated/prisma/enums.js';
import { instant } from '../instant.js';
import { id, optional, parse, text } from '../parse.js';
import { type Actor, type Change, OPERATOR, recordChanges } from './access-log.js';
import { databaseNow } from './clock.js';
import { lockAccount } from './locks.js';
import { noSuchSession, type Ownership } from './ownership.js';
import { hashSecret, newSecret } from './secrets.js';
import { requireAccount } from './store.js';
import { asUuid, uuid } from './uuids.js';
import { SCOPES } from './viewer.js';

/** A credential without its secret's hash, which nobody reads but `authenticate`. */
export type CredentialRow = Omit<Credential, 'secretHash'>;

export const CREDENTIAL_COLUMNS = Prisma.sql`id, number, account_id AS "accountId", organization_id AS "organizationId",
  kind::text AS kind, name, scopes, session_id AS "sessionId", created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

export interface Issued {
  readonly credential: CredentialRow;
  /** Shown once; the database has only its hash. */
  readonly secret: string;
}

const tokenInput = z.strictObject({
  kind: z.enum(CredentialKind),
  name: optional(text(200, 1)),
  scopes: optional(z.array(z.enum(SCOPES, `expected ${SCOPES.join(' or ')}`)).max(100)),
  expiresAt: optional(instant()),
  ttlSeconds: optional(
    z
      .number()
      .int()
      .min(1, 'expected at least 1 second')
      .max(2 ** 31 - 1),
  ),
  sessionId: optional(id()),
  accountId: optional(id()),
});
export type TokenInput = z.output<typeof tokenInput>;
export type CreateTokenInput = z.input<typeof tokenInput>;

/**
 * What a credential is to be, checked as far as its own fields go: a session and scopes for RUN alone, one way to say when it ends.
 * @throws BAD_USER_INPUT.
 */
export function parseToken(input: unknown): TokenInput {
  const token = parse(tokenInput, input);
  if (token.expiresAt !== undefined && token.ttlSeconds !== undefined) {
    throw badUserInput('input: expected expiresAt or ttlSeconds, got both. Say once when it ends.');
  }
  if (token.kind === 'RUN') {
    if (token.sessionId !== undefined) return token;
    throw badUserInput('input.sessionId: expected the session that a RUN credential is bound to, got none.');
  }
  if (token.sessionId !== undefined) {
    throw badUserInput(
      `input.sessionId: expected none for a ${token.kind} credential; only RUN is bound to one.`,
    );
  }
  if (token.scopes !== undefined && token.scopes.length > 0) {
    throw badUserInput(`input.scopes: expected none for a ${token.kind} credential; only RUN has scopes.`);
  }
  return token;
}

/**
 * Issues any credential, for the operator. A RUN one belongs to its session's owner, so `accountId` may be left out there.
 * @throws BAD_USER_INPUT, NOT_FOUND.
 */
export async function createToken(database: Database, input: CreateTokenInput): Promise<Issued> {
  const token = parseToken(input);
  return transact(database, async (tx) => {
    if (token.kind === 'RUN') {
      const session = await findOwnership(tx, token.sessionId);
      if (session === null) throw noSuchSession();
      return insertCredential(tx, token, runHolder(token, session), OPERATOR);
    }
    return insertCredential(tx, token, await lockHolder(tx, token.accountId), OPERATOR);
  });
}

const revokeInput = z.strictObject({ credentialId: uuid('a credentialId') });
export type RevokeTokenInput = z.input<typeof revokeInput>;

/**
 * Ends any credential, for the operator. Again is no error.
 * @throws BAD_USER_INPUT, NOT_FOUND.
 */
export async function revokeToken(database: Database, input: RevokeTokenInput): Promise<CredentialRow> {
  const { credentialId } = parse(revokeInput, input);
  const revoked = await transact(database, (tx) => endCredential(tx, credentialId, OPERATOR));
  if (revoked !== null) return revoked;
  throw notFound(`Expected the id of a credential, got ${credentialId}. Check it.`);
}

/**
 * Revokes a credential that is in force, and says so in the log; one that is revoked already keeps its first instant, whoever comes
 * later. Null for an id that is unknown, or that `visible` leaves out.
 */
export async function endCredential(
  tx: Transaction,
  credentialId: string,
  by: Actor,
  visible: Prisma.Sql = Prisma.sql`true`,
): Promise<CredentialRow | null> {
  // Whoever revokes at the same time waits here, and then finds it revoked.
  const [row] = await tx.$queryRaw<CredentialRow[]>`
    SELECT ${CREDENTIAL_COLUMNS} FROM credential
    WHERE id = ${credentialId}::uuid AND ${visible} FOR NO KEY UPDATE`;
  if (row === undefined) return null;
  if (row.revokedAt !== null) return row;
  const revokedAt = await databaseNow(tx);
  await tx.credential.update({ where: { id: credentialId }, data: { revokedAt } });
  await recordChanges(tx, by, [changeOf('CREDENTIAL_REVOKED', row, { kind: row.kind, cause: 'asked for' })]);
  return { ...row, revokedAt };
}

const changeOf = (
  kind: Change['kind'],
  { id, accountId, organizationId }: CredentialRow,
  details: Change['details'],
): Change => ({ kind, credentialId: id, accountId, organizationId, details });

/** Whose the credential is. */
export interface Holder {
  readonly accountId: string;
  /** The organisation whose admins list and revoke it: the account's, for RUN the session's. */
  readonly organizationId: string | null;
}

/**
 * An account as it is, and as it stays until the transaction ends.
 * @throws BAD_USER_INPUT without an id, NOT_FOUND.
 */
export async function lockHolder(tx: Transaction, accountId: string | undefined) {
  const id = accountId === undefined ? undefined : asUuid(accountId);
  if (id === undefined) throw badUserInput('input.accountId: expected an accountId, which is a UUID.');
  await lockAccount(tx, id);
  const { organizationId, role } = await requireAccount(tx, id);
  return { accountId: id, organizationId, role };
}

/** Whose a session is, whoever asks; null for an id that is unknown or none. */
export async function findOwnership(
  tx: Transaction,
  sessionId: string | undefined,
): Promise<Ownership | null> {
  const id = sessionId === undefined ? undefined : asUuid(sessionId);
  return id === undefined
    ? null
    : tx.session.findUnique({ where: { id }, select: { ownerId: true, organizationId: true } });
}

/** @throws BAD_USER_INPUT when another account than the session's owner is named. */
export function runHolder({ accountId }: TokenInput, { ownerId, organizationId }: Ownership): Holder {
  if (accountId !== undefined && asUuid(accountId) !== ownerId) {
    throw badUserInput("input.accountId: expected the session's owner or nothing for a RUN credential.");
  }
  return { accountId: ownerId, organizationId };
}

/**
 * Writes the credential and gives its secret out.
 * @throws BAD_USER_INPUT when it would have ended already, on the database's clock.
 */
export async function insertCredential(
  tx: Transaction,
  token: TokenInput,
  holder: Holder,
  by: Actor,
): Promise<Issued> {
  const secret = newSecret();
  const createdAt = await databaseNow(tx);
  const credential = await tx.credential.create({
    data: {
      id: randomUUID(),
      accountId: holder.accountId,
      organizationId: holder.organizationId,
      kind: token.kind,
      name: token.name ?? null,
      scopes: [...new Set(token.scopes)],
      secretHash: hashSecret(secret),
      sessionId: token.sessionId === undefined ? null : (asUuid(token.sessionId) ?? null),
      createdAt,
      expiresAt: expiry(token, createdAt),
    },
    omit: { secretHash: true },
  });
  const { kind, scopes, sessionId } = credential;
  const expiresAt = credential.expiresAt?.toISOString() ?? null;
  const details = { kind, scopes, sessionId, expiresAt };
  await recordChanges(tx, by, [changeOf('CREDENTIAL_ISSUED', credential, details)]);
  return { credential, secret };
}

function expiry({ expiresAt, ttlSeconds }: TokenInput, now: Date): Date | null {
  if (ttlSeconds !== undefined) return new Date(now.getTime() + ttlSeconds * 1_000);
  if (expiresAt === undefined) return null;
  if (expiresAt > now) return expiresAt;
  throw badUserInput(
    `input.expiresAt: expected an instant after now (${now.toISOString()}), got ${expiresAt.toISOString()}.`,
  );
}
