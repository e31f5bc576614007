import type { Account, Credential, Organization } from '../generated/prisma/client.js';

/** An account as a viewer sees it: organisation and role are null outside the viewer's own organisation. */
export type AccountRow = Pick<Account, 'id' | 'name' | 'organizationId' | 'role'>;

export type OrganizationRow = Pick<Organization, 'id' | 'name'>;

/** A credential without its secret's hash. */
export type CredentialRow = Omit<Credential, 'secretHash'>;
