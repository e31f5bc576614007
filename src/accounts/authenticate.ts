import type { Database } from '../database/database.js';
import { DomainError } from '../errors.js';
import type { CredentialKind, OrganizationRole } from '../generated/prisma/enums.js';
import { hashSecret, SECRET } from './secrets.js';
import { SCOPES, type Viewer } from './viewer.js';

const HOW = 'Send the header Authorization: Bearer tdg_… (WebSocket: connectionParams.authorization).';

const unauthenticated = (message: string) => new DomainError('UNAUTHENTICATED', `${message} ${HOW}`);

/** The secret of an `Authorization` header; undefined without a header, '' when it holds something else. */
export function bearer(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  return /^Bearer +(tdg_\S+)\s*$/i.exec(header.trim())?.[1] ?? '';
}

/**
 * Who a secret speaks for, as the database has it now, by one look-up.
 * @throws UNAUTHENTICATED without a secret, for text that is none, and, in the same words, for one that is unknown, expired, revoked
 * or ended with its account's place in the organisation (P9); PLAN_UPGRADE_REQUIRED when the plan of the account or of its
 * organisation has no API access.
 */
export async function authenticate(database: Database, secret: string | undefined): Promise<Viewer> {
  if (secret === undefined) throw unauthenticated('Expected a credential, got none.');
  if (!SECRET.test(secret)) {
    throw unauthenticated('Expected a credential, which is tdg_ and 43 characters, got other text.');
  }
  const found = await findByHash(database, hashSecret(secret));
  if (found === undefined || !isAlive(found)) {
    throw unauthenticated('Expected a credential in force: this one is unknown, expired or revoked.');
  }
  requirePlan(found);
  if (found.unseen) await noteUse(database, found.credentialId);
  return toViewer(found);
}

interface Found {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly accountId: string;
  readonly organizationId: string | null;
  readonly role: OrganizationRole | null;
  readonly sessionId: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  /** The organisation that the credential was issued in. */
  readonly issuedIn: string | null;
  readonly inForce: boolean;
  /** Whether its last use was noted a minute ago or never. */
  readonly unseen: boolean;
  readonly accountAccess: boolean;
  /** Null without an organisation. */
  readonly organizationAccess: boolean | null;
}

async function findByHash({ prisma }: Database, hash: Buffer): Promise<Found | undefined> {
  const [found] = await prisma.$queryRaw<Found[]>`
    SELECT c.id AS "credentialId", c.kind::text AS kind, c.account_id AS "accountId",
      a.organization_id AS "organizationId", a.role::text AS role, c.session_id AS "sessionId", c.scopes,
      c.expires_at AS "expiresAt", c.organization_id AS "issuedIn",
      c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp()) AS "inForce",
      c.last_used_at IS NULL OR c.last_used_at <= clock_timestamp() - interval '1 minute' AS unseen,
      a.api_access AS "accountAccess", o.api_access AS "organizationAccess"
    FROM credential c JOIN account a ON a.id = c.account_id LEFT JOIN organization o ON o.id = a.organization_id
    WHERE c.secret_hash = ${hash}`;
  return found;
}

/**
 * A runtime's credential is its organisation's (or, without one, its account's): it ends when the account is elsewhere. A move
 * and a demotion revoke it besides, so that coming back revives nothing.
 */
const isAlive = ({ kind, inForce, issuedIn, organizationId }: Found): boolean =>
  inForce && (kind !== 'SERVICE' || issuedIn === organizationId);

function requirePlan({ accountAccess, organizationAccess }: Found): void {
  if (accountAccess && organizationAccess !== false) return;
  const whose = accountAccess ? "The organisation's" : "The account's";
  throw new DomainError(
    'PLAN_UPGRADE_REQUIRED',
    `Expected a plan with API access. ${whose} plan has none; ask whoever runs this server to change it.`,
  );
}

/**
 * At most once a minute a credential, whoever else tries at the same time: a row that another transaction holds is skipped, not
 * waited for. The note is of no consequence, so a failure to write it is not the request's.
 */
async function noteUse({ prisma }: Database, credentialId: string): Promise<void> {
  await prisma.$executeRaw`
    UPDATE credential SET last_used_at = date_trunc('milliseconds', clock_timestamp())
    WHERE id = (
      SELECT id FROM credential
      WHERE id = ${credentialId}::uuid
        AND (last_used_at IS NULL OR last_used_at <= clock_timestamp() - interval '1 minute')
      FOR NO KEY UPDATE SKIP LOCKED)`.catch(() => undefined);
}

const toViewer = (found: Found): Viewer => ({
  credentialId: found.credentialId,
  kind: found.kind,
  accountId: found.accountId,
  organizationId: found.organizationId,
  role: found.role,
  sessionId: found.sessionId,
  scopes: SCOPES.filter((scope) => found.scopes.includes(scope)),
  expiresAt: found.expiresAt,
});
