import type { CredentialKind, OrganizationRole } from '../generated/prisma/enums.js';

/** RUN credentials only; absent means none. */
export const SCOPES = ['conversation:read', 'elicitations:read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks: a credential, the account that it acts for, and what that account is now. */
export interface Viewer {
  readonly credentialId: string;
  readonly kind: CredentialKind;
  readonly accountId: string;
  readonly organizationId: string | null;
  readonly role: OrganizationRole | null;
  /** RUN: the session that the credential is bound to; else null. */
  readonly sessionId: string | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** An admin reads what belongs to its organisation; null for everybody else. */
export const administeredOrganization = (viewer: Viewer): string | null =>
  viewer.kind === 'PERSONAL' && viewer.role === 'ADMIN' ? viewer.organizationId : null;
