import { loadUuids } from '../accounts/uuids.js';
import { accountById } from '../credentials/loaders.js';
import { AccountRef, CredentialKindRef } from '../credentials/types.js';
import { ElicitationDecision, ElicitationStatus } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import { requireSession, sessionById } from '../sessions/loaders.js';
import { SessionRef } from '../sessions/types.js';
import { sessionElicitations, transitionListing } from './listings.js';
import { bodyOf, elicitationById, requesterById } from './loaders.js';
import { statusAsOf } from './state.js';
import type { ElicitationRow, RequesterRow, TransitionRow } from './store.js';

export const ElicitationStatusRef = builder.enumType('ElicitationStatus', {
  description: 'Where an elicitation stands. Later versions may add values.',
  values: {
    [ElicitationStatus.PENDING]: { description: 'It waits for a decision.' },
    [ElicitationStatus.APPROVED]: { description: 'Somebody approved; the asker has not taken the result.' },
    [ElicitationStatus.REJECTED]: { description: 'Somebody rejected; the asker has not taken the result.' },
    [ElicitationStatus.CONSUMED]: {
      description: 'The asker has taken the result; `decision` says what it is.',
    },
    [ElicitationStatus.EXPIRED]: { description: 'Nobody decided before `expiresAt`; nobody can any more.' },
    [ElicitationStatus.CANCELED]: { description: 'The asker took it back before anybody decided.' },
  },
});

const ElicitationDecisionRef = builder.enumType('ElicitationDecision', {
  description: 'What a person decided.',
  values: {
    [ElicitationDecision.APPROVED]: { description: "Yes, with a form's answers where one was asked for." },
    [ElicitationDecision.REJECTED]: { description: 'No, with a reason if there was one to give.' },
  },
});

const RequesterRef = builder.objectRef<RequesterRow>('Requester').implement({
  description: 'Who asked: the credential that an elicitation came with.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CredentialKindRef, description: 'Of the credential.' }),
    name: t.exposeString('name', { nullable: true, description: 'What the credential was called.' }),
    account: t.field({
      type: AccountRef,
      description: 'The account that it acts for.',
      resolve: async ({ accountId }, _, { operation }) =>
        existing(await accountById(operation).load(accountId)),
    }),
  }),
});

export const ElicitationTransitionRef = builder.objectRef<TransitionRow>('ElicitationTransition').implement({
  description: 'A change of status, the creation included. It is never changed itself.',
  fields: (t) => ({
    from: t.expose('from', {
      type: ElicitationStatusRef,
      nullable: true,
      description: 'Null: this is the creation.',
    }),
    to: t.expose('to', { type: ElicitationStatusRef, description: 'The status since then.' }),
    at: t.expose('at', {
      type: 'DateTime',
      description: "When, on the database's clock; of an expiry its `expiresAt`.",
    }),
    by: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Whose credential brought it about; null: it expired.',
      resolve: ({ byId }, _, { operation }) => (byId === null ? null : accountById(operation).load(byId)),
    }),
  }),
});

const TransitionConnection = connectionTypes<TransitionRow>(
  'ElicitationTransition',
  ElicitationTransitionRef,
  "An elicitation's changes of status, the first one first.",
).connection;

export const ElicitationRef = builder.objectRef<ElicitationRow>('Elicitation');

builder.node(ElicitationRef, {
  description:
    'An agent asks a person for approval, or for the answers to a form; the person decides; the agent takes the result.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) => loadUuids(ids, (id) => elicitationById(operation).load(id)),
  fields: (t) => ({
    elicitationId: t.exposeID('id', { description: 'A UUID in lower case, the same everywhere.' }),
    idempotencyKey: t.exposeString('idempotencyKey', {
      nullable: true,
      description: 'As its asker gave it: `elicitation(idempotencyKey:)` finds it again.',
    }),
    message: t.exposeString('message', { description: 'What is asked, at most 4,000 characters.' }),
    status: t.expose('status', { type: ElicitationStatusRef, description: 'As it is now.' }),
    statusAsOf: t.field({
      type: ElicitationStatusRef,
      nullable: true,
      description: 'As it stood at an instant, that instant included; null before it was asked.',
      args: { asOf: t.arg({ type: 'DateTime', required: true, description: 'When.' }) },
      resolve: (row, { asOf }) => statusAsOf(row, asOf),
    }),
    decision: t.expose('decision', {
      type: ElicitationDecisionRef,
      nullable: true,
      description: 'What was decided; stays readable once it is CONSUMED.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was rejected or canceled, at most 4,000 characters.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was asked: no two of one account or organisation at the same instant.',
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was approved or rejected; null also when it expired or was canceled.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From this instant on nobody can decide any more; null: it does not end by itself.',
    }),
    consumedAt: t.expose('consumedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its asker first took the result.',
    }),
    canceledAt: t.expose('canceledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its asker took it back.',
    }),
    account: t.field({
      type: AccountRef,
      description: 'Whom it is asked of.',
      resolve: async ({ accountId }, _, { operation }) =>
        existing(await accountById(operation).load(accountId)),
    }),
    requestedBy: t.field({
      type: RequesterRef,
      description: 'Who asked.',
      resolve: async ({ requestedById }, _, { operation }) =>
        existing(await requesterById(operation).load(requestedById)),
    }),
    decidedBy: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Who approved or rejected: the account asked, or an admin.',
      resolve: ({ decidedById }, _, { operation }) =>
        decidedById === null ? null : accountById(operation).load(decidedById),
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'The session that it belongs to, if any; null where the viewer may not see it.',
      resolve: ({ sessionId }, _, { operation }) =>
        sessionId === null ? null : sessionById(operation).load(sessionId),
    }),
    context: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the person should know, as its asker gave it. Read only when selected.',
      resolve: ({ id }, _, { operation }) => bodyOf(operation).load({ id, part: 'context' }),
    }),
    requestedSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The form to fill in, as JSON Schema; null: approval is all. Read only when selected.',
      resolve: ({ id }, _, { operation }) => bodyOf(operation).load({ id, part: 'requestedSchema' }),
    }),
    formSubmission: t.field({
      type: 'JSON',
      nullable: true,
      description: "The form's answers, once approved. Read only when selected.",
      resolve: ({ id }, _, { operation }) => bodyOf(operation).load({ id, part: 'formSubmission' }),
    }),
    transitions: t.field({
      type: TransitionConnection,
      nullable: true,
      description: 'All that has happened to it, oldest first. BAD_USER_INPUT, INVALID_CURSOR.',
      args: t.arg.connectionArgs(),
      resolve: (row, args, { operation }) => connection(transitionListing(operation, row), args),
    }),
  }),
});

export const ElicitationConnection = connectionTypes<ElicitationRow>(
  'Elicitation',
  ElicitationRef,
  'A page of elicitations, the one asked last first.',
).connection;

builder.objectField(ElicitationConnection, 'checkpoint', (t) =>
  t.string({
    description:
      'How far the log of changes went before the page was read: `elicitationChanges(after:)` goes on from here without a gap. Under a session it is of the scope ORG if the viewer may ask for that, else of ME.',
    resolve: ({ checkpoint }) => checkpoint,
  }),
);

builder.objectField(SessionRef, 'elicitations', (t) =>
  t.field({
    type: ElicitationConnection,
    nullable: true,
    description:
      'What was asked in it, as far as the viewer may see that, newest first. BAD_USER_INPUT, INVALID_CURSOR.',
    args: t.arg.connectionArgs(),
    resolve: async ({ id }, args, { operation }) =>
      connection(await sessionElicitations(operation, await requireSession(operation, id)), args),
  }),
);

/** Accounts and credentials are never deleted, so what a row refers to is there. */
function existing<T>(row: T | null): T {
  if (row === null) throw new Error('A row refers to one that is not there (elicitations-4).');
  return row;
}
