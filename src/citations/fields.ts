import { builder } from '../graphql/builder.js';
import { renew } from '../graphql/context.js';
import { shownAsWritten } from '../sessions/loaders.js';
import type { SessionRow } from '../sessions/store.js';
import { SessionRef } from '../sessions/types.js';
import { upsertSources } from './actions.js';
import { SourceInput } from './inputs.js';
import { type SourceNode, toSourceNode } from './nodes.js';
import { SourceRef } from './types.js';

const UpsertSourcesInput = builder.inputType('UpsertSourcesInput', {
  description: 'What was learned of sources.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'The session that cites them, or will.' }),
    sources: t.field({
      type: [SourceInput],
      required: true,
      description: 'At most 500. Of two with one sourceRef the later adds to the earlier.',
    }),
  }),
});

const UpsertSourcesPayload = builder
  .objectRef<{ readonly session: SessionRow; readonly sources: readonly SourceNode[] }>(
    'UpsertSourcesPayload',
  )
  .implement({
    description: 'The session and the sources as they are now.',
    fields: (t) => ({
      session: t.expose('session', { type: SessionRef, description: 'The session as it is now.' }),
      sources: t.expose('sources', {
        type: [SourceRef],
        description: 'One for each that was sent, in that order, as the session knows it now.',
      }),
    }),
  });

builder.mutationField('upsertSources', (t) =>
  t.field({
    type: UpsertSourcesPayload,
    nullable: true,
    description:
      'Adds to what a session knows of its sources: abstracts and full-text verdicts that come later. Each field that is not null replaces what was known. No event is written. SERVICE credentials; else FORBIDDEN. NOT_FOUND, BAD_USER_INPUT.',
    args: {
      input: t.arg({ type: UpsertSourcesInput, required: true, description: 'The session and its sources.' }),
    },
    resolve: async (_, { input }, context) => {
      const { session, sources } = await upsertSources(context.operation, input);
      return shownAsWritten(renew(context), { session, sources: sources.map(toSourceNode) });
    },
  }),
);
