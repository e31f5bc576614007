import { loadUuids } from '../accounts/uuids.js';
import { accountById } from '../credentials/loaders.js';
import { AccountRef, CredentialRef } from '../credentials/types.js';
import { SessionStatus } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import type { SessionChange } from './actions.js';
import { sessionById } from './loaders.js';
import type { SessionRow } from './store.js';

export const SessionStatusRef = builder.enumType('SessionStatus', {
  description: 'What a session is doing, by its last event that says. Later versions may add values.',
  values: {
    [SessionStatus.PROCESSING]: {
      description: 'The agent works: a message, a resume or a started activity.',
    },
    [SessionStatus.PAUSED_FOR_INSUFFICIENT_QUOTA]: { description: 'Paused until there is quota again.' },
    [SessionStatus.COMPLETED]: { description: 'Idle or stopped, or without any event: it awaits input.' },
    [SessionStatus.FAILED]: { description: 'The last run ended with an error.' },
    [SessionStatus.UNKNOWN]: { description: 'It has events, and none of them says.' },
  },
});

export const SessionRef = builder.objectRef<SessionRow>('Session');

builder.node(SessionRef, {
  description: 'What a person and an agent do together: a log of events, and what it brought up.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { operation }) => loadUuids(ids, (id) => sessionById(operation).load(id)),
  fields: (t) => ({
    sessionId: t.exposeID('id', { description: 'A UUID in lower case, the same everywhere.' }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'At most 1,000 characters; null when nobody has given it one.',
    }),
    status: t.expose('status', {
      type: SessionStatusRef,
      description: 'What it is doing; COMPLETED also before its first event.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created here.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description:
        'When its title, its events or what is known of its sources last changed; never goes back.',
    }),
    url: t.string({
      description: 'The address of a page for people that shows this session.',
      resolve: ({ id }, _, { publicUrl }) => `${publicUrl}/sessions/${id}`,
    }),
    owner: t.field({
      type: AccountRef,
      description: 'The account that it belongs to.',
      resolve: async ({ ownerId }, _, { operation }) => {
        const owner = await accountById(operation).load(ownerId);
        if (owner === null) throw new Error("A session's owner was not there (sessions-3).");
        return owner;
      },
    }),
  }),
});

export const SessionConnection = connectionTypes<SessionRow>(
  'Session',
  SessionRef,
  'Sessions, the one created last first.',
).connection;

export const SessionChangeRef = builder.objectRef<SessionChange>('SessionChange').implement({
  description: 'That a session of the list `sessions` has changed, or that any may have.',
  fields: (t) => ({
    session: t.expose('session', {
      type: SessionRef,
      nullable: true,
      description: 'One that has changed, as it is now; null with resync.',
    }),
    resync: t.exposeBoolean('resync', { description: 'Changes may have been missed: read the list again.' }),
  }),
});

builder.objectField(CredentialRef, 'session', (t) =>
  t.field({
    type: SessionRef,
    nullable: true,
    description:
      'Of a RUN credential, the session that it is bound to; null where the viewer may not see it.',
    resolve: ({ sessionId }, _, { operation }) =>
      sessionId === null ? null : sessionById(operation).load(sessionId),
  }),
);
