import type { Database } from '../database/database.js';
import { DomainError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import type { CredentialKind, OrganizationRole } from '../generated/prisma/enums.js';
import { SCOPES, type Viewer } from './viewer.js';

/** A credential with what its account is now, as one look-up gives it; all times are judged by the database's clock. */
export interface Standing {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly accountId: string;
  readonly organizationId: string | null;
  readonly role: OrganizationRole | null;
  readonly sessionId: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  /** How long until it expires, in ms; null: it does not by itself. */
  readonly left: number | null;
  readonly isRevoked: boolean;
  /** The organisation that the credential was issued in. */
  readonly issuedIn: string | null;
  /** Whether its last use was noted a minute ago or never. */
  readonly unseen: boolean;
  readonly accountAccess: boolean;
  /** Null without an organisation. */
  readonly organizationAccess: boolean | null;
}

const select = Prisma.sql`
  SELECT c.id AS "credentialId", c.kind::text AS kind, c.account_id AS "accountId",
    a.organization_id AS "organizationId", a.role::text AS role, c.session_id AS "sessionId", c.scopes,
    c.expires_at AS "expiresAt", (extract(epoch FROM c.expires_at - clock_timestamp()) * 1000)::float8 AS left,
    c.revoked_at IS NOT NULL AS "isRevoked", c.organization_id AS "issuedIn",
    c.last_used_at IS NULL OR c.last_used_at <= clock_timestamp() - interval '1 minute' AS unseen,
    a.api_access AS "accountAccess", o.api_access AS "organizationAccess"
  FROM credential c JOIN account a ON a.id = c.account_id LEFT JOIN organization o ON o.id = a.organization_id`;

/** By the hash of its secret. */
export async function findStanding({ prisma }: Database, hash: Buffer): Promise<Standing | undefined> {
  const [found] = await prisma.$queryRaw<Standing[]>`${select} WHERE c.secret_hash = ${hash}`;
  return found;
}

/** Of several, in one statement, in no order. */
export const findStandings = ({ prisma }: Database, ids: readonly string[]): Promise<Standing[]> =>
  prisma.$queryRaw<Standing[]>`${select} WHERE c.id = ANY(${[...ids]}::uuid[])`;

/** Why a credential speaks for nobody any more. */
export type Ending = 'expired' | 'revoked';

/**
 * Undefined while it is in force. A runtime's credential is its organisation's (or, without one, its account's): it ends when the account
 * is elsewhere. A move and a demotion revoke it besides, so that coming back revives nothing.
 */
export function endingOf({ kind, isRevoked, left, issuedIn, organizationId }: Standing): Ending | undefined {
  if (isRevoked || (kind === 'SERVICE' && issuedIn !== organizationId)) return 'revoked';
  return left !== null && left <= 0 ? 'expired' : undefined;
}

/** What a plan without API access is answered with; undefined for one that has it. */
export function planRefusal({ accountAccess, organizationAccess }: Standing): DomainError | undefined {
  if (accountAccess && organizationAccess !== false) return undefined;
  const whose = accountAccess ? "The organisation's" : "The account's";
  return new DomainError(
    'PLAN_UPGRADE_REQUIRED',
    `Expected a plan with API access. ${whose} plan has none; ask whoever runs this server to change it.`,
  );
}

export const toViewer = (standing: Standing): Viewer => ({
  credentialId: standing.credentialId,
  kind: standing.kind,
  accountId: standing.accountId,
  organizationId: standing.organizationId,
  role: standing.role,
  sessionId: standing.sessionId,
  scopes: SCOPES.filter((scope) => standing.scopes.includes(scope)),
  expiresAt: standing.expiresAt,
});
