import { builder } from '../graphql/builder.js';
import type { AccountRow, CredentialRow, OrganizationRow } from './store.js';

export const AccountRef = builder.objectRef<AccountRow>('Account');
export const OrganizationRef = builder.objectRef<OrganizationRow>('Organization');
export const CredentialRef = builder.objectRef<CredentialRow>('Credential');
