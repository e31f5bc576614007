import { loadUuids } from '../accounts/uuids.js';
import type { Viewer } from '../accounts/viewer.js';
import { CredentialKind, OrganizationRole } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import { seesAccount } from './access.js';
import { credentialListing } from './listing.js';
import { accountById, credentialById, organizationById } from './loaders.js';
import type { AccountRow, CredentialRow, OrganizationRow } from './store.js';

const OrganizationRoleRef = builder.enumType('OrganizationRole', {
  description: 'What an account is in its organisation. Later versions may add values.',
  values: {
    [OrganizationRole.ADMIN]: {
      description: "Reads what is the organisation's and manages its credentials, beside what a member does.",
    },
    [OrganizationRole.MEMBER]: { description: 'Reads and writes its own.' },
  },
});

export const CredentialKindRef = builder.enumType('CredentialKind', {
  description: 'What a credential is for, which decides what it may do. Later versions may add values.',
  values: {
    [CredentialKind.PERSONAL]: { description: 'A person.' },
    [CredentialKind.RUN]: { description: 'An agent in one session, for as long as it runs.' },
    [CredentialKind.SERVICE]: { description: 'An agent runtime, for its organisation or account.' },
  },
});

const OrganizationRef = builder.objectRef<OrganizationRow>('Organization');
export const AccountRef = builder.objectRef<AccountRow>('Account');
export const CredentialRef = builder.objectRef<CredentialRow>('Credential');
export const ViewerRef = builder.objectRef<Viewer>('Viewer');

builder.node(OrganizationRef, {
  description: "An organisation. Only one's own is ever shown.",
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) => loadUuids(ids, (id) => organizationById(operation).load(id)),
  fields: (t) => ({
    organizationId: t.exposeID('id', { description: 'A UUID, the same everywhere.' }),
    name: t.exposeString('name', { description: 'At most 200 characters, unique on this server.' }),
  }),
});

builder.node(AccountRef, {
  description: 'An account: a person, or what a runtime acts for.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) =>
    loadUuids(ids, async (id) => {
      const account = await accountById(operation).load(id);
      return account !== null && seesAccount(operation.viewer, account) ? account : null;
    }),
  fields: (t) => ({
    accountId: t.exposeID('id', { description: 'A UUID, the same everywhere.' }),
    name: t.exposeString('name', { description: 'At most 200 characters, not unique.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: "Null without an organisation and outside the viewer's own.",
      resolve: ({ organizationId }, _, { operation }) =>
        organizationId === null ? null : organizationById(operation).load(organizationId),
    }),
    role: t.expose('role', {
      type: OrganizationRoleRef,
      nullable: true,
      description: "Its role there; null without an organisation and outside the viewer's own.",
    }),
  }),
});

builder.node(CredentialRef, {
  description: 'A credential. Its secret was shown when it was issued and is nowhere now.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) => loadUuids(ids, (id) => credentialById(operation).load(id)),
  fields: (t) => ({
    credentialId: t.exposeID('id', { description: 'A UUID, the same everywhere.' }),
    account: t.field({
      type: AccountRef,
      description: "The account that it acts for; of a RUN credential its session's owner.",
      resolve: async ({ accountId }, _, { operation }) =>
        existing(await accountById(operation).load(accountId)),
    }),
    kind: t.expose('kind', {
      type: CredentialKindRef,
      description: 'What it is for, which decides what it may do.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'What it was called when it was issued.' }),
    scopes: t.exposeStringList('scopes', {
      description:
        'What a RUN credential may read: conversation:read, elicitations:read. Empty for other kinds.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'It is refused from this instant on; null: it does not end by itself.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is refused; null while it is in force.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to within a minute; null if it never was.',
    }),
  }),
});

const credentials = connectionTypes<CredentialRow>(
  'Credential',
  CredentialRef,
  'Credentials, the one issued last first.',
);

builder.objectType(ViewerRef, {
  description: 'Who asks: what the credential of this request speaks for.',
  fields: (t) => ({
    account: t.field({
      type: AccountRef,
      description: 'The account that the credential acts for.',
      resolve: async ({ accountId }, _, { operation }) =>
        existing(await accountById(operation).load(accountId)),
    }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: "The account's organisation; null without one.",
      resolve: ({ organizationId }, _, { operation }) =>
        organizationId === null ? null : organizationById(operation).load(organizationId),
    }),
    role: t.expose('role', {
      type: OrganizationRoleRef,
      nullable: true,
      description: "The account's role there; null without an organisation.",
    }),
    credential: t.field({
      type: CredentialRef,
      description: 'The credential that this request came with.',
      resolve: async ({ credentialId }, _, { operation }) =>
        existing(await credentialById(operation).load(credentialId)),
    }),
    credentials: t.field({
      type: credentials.connection,
      nullable: true,
      description:
        "Newest first: a person's own, an admin's also its organisation's; a RUN credential's itself; a SERVICE credential's itself and the RUN ones that it may issue. Expired and revoked ones too.",
      args: t.arg.connectionArgs(),
      resolve: async (_, args, { operation }) => connection(await credentialListing(operation), args),
    }),
  }),
});

/** Accounts and credentials are never deleted, so what a row refers to is there. */
function existing<T>(row: T | null): T {
  if (row === null) throw new Error('A row refers to one that is not there (credentials-1).');
  return row;
}
