import { builder } from '../graphql/builder.js';
import { ownConversationOf } from './loaders.js';
import { ConversationRef } from './types.js';

builder.queryField('conversation', (t) =>
  t.field({
    type: ConversationRef,
    nullable: true,
    description:
      'The conversation of the session that the RUN credential is bound to. FORBIDDEN for every other kind and without the scope conversation:read.',
    resolve: (_, __, { operation }) => ownConversationOf(operation),
  }),
);
