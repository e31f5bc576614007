import type { Issued } from '../accounts/tokens.js';
import { builder } from '../graphql/builder.js';
import { renew } from '../graphql/context.js';
import { issueCredential, revokeCredential } from './actions.js';
import type { CredentialRow } from './store.js';
import { CredentialKindRef, CredentialRef, ViewerRef } from './types.js';

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerRef,
    nullable: true,
    description: 'Who asks: the account, its organisation and the credential.',
    resolve: (_, __, { operation }) => operation.viewer,
  }),
);

const IssueCredentialInput = builder.inputType('IssueCredentialInput', {
  description: 'What the new credential is to be.',
  fields: (t) => ({
    kind: t.field({
      type: CredentialKindRef,
      required: true,
      description:
        "PERSONAL: for oneself. SERVICE: by an organisation's admin, or an account without organisation, for itself; it ends when that account leaves or stops being admin. RUN: by whoever may write the session.",
    }),
    name: t.string({ description: 'What to call it, at most 200 characters.' }),
    scopes: t.stringList({
      description: 'RUN only: conversation:read, elicitations:read; absent means none.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends: an instant to come.' }),
    ttlSeconds: t.int({
      description: 'The same as seconds from now. RUN needs one of the two; nothing takes both.',
    }),
    sessionId: t.id({ description: 'RUN only, and needed there: the session that it is bound to.' }),
    accountId: t.id({
      description: "Whose it is to be. It is one's own, for RUN the session's owner: leave it out.",
    }),
  }),
});

const IssueCredentialPayload = builder.objectRef<Issued>('IssueCredentialPayload').implement({
  description: 'The credential and its secret.',
  fields: (t) => ({
    credential: t.expose('credential', { type: CredentialRef, description: 'The new credential.' }),
    secret: t.exposeString('secret', {
      description: 'tdg_ and 43 characters. It is in this answer and nowhere else: keep it.',
    }),
  }),
});

builder.mutationField('issueCredential', (t) =>
  t.field({
    type: IssueCredentialPayload,
    nullable: true,
    description:
      'Issues a credential. FORBIDDEN where the kind or the role does not allow it; NOT_FOUND for a session that one may not write; BAD_USER_INPUT otherwise.',
    args: {
      input: t.arg({
        type: IssueCredentialInput,
        required: true,
        description: 'What the credential is to be.',
      }),
    },
    resolve: async (_, { input }, context) => {
      const issued = await issueCredential(context.operation, input);
      renew(context);
      return issued;
    },
  }),
);

const RevokeCredentialInput = builder.inputType('RevokeCredentialInput', {
  description: 'Which credential to end.',
  fields: (t) => ({
    credentialId: t.id({ required: true, description: 'One that Viewer.credentials lists.' }),
  }),
});

const RevokeCredentialPayload = builder
  .objectRef<{ credential: CredentialRow }>('RevokeCredentialPayload')
  .implement({
    description: 'The credential, revoked.',
    fields: (t) => ({
      credential: t.expose('credential', {
        type: CredentialRef,
        description: 'With the instant of its first revocation.',
      }),
    }),
  });

builder.mutationField('revokeCredential', (t) =>
  t.field({
    type: RevokeCredentialPayload,
    nullable: true,
    description:
      'Ends a credential that Viewer.credentials lists. Again is no error. NOT_FOUND for all others, there or not.',
    args: {
      input: t.arg({ type: RevokeCredentialInput, required: true, description: 'The credential to end.' }),
    },
    resolve: async (_, { input }, context) => {
      const credential = await revokeCredential(context.operation, input.credentialId);
      renew(context);
      return { credential };
    },
  }),
);
