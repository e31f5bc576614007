import { resolveNodes } from '@pothos/plugin-relay';
import { type GraphQLResolveInfo, isObjectType } from 'graphql';
import { badUserInput, DomainError } from '../errors.js';
import { builder } from './builder.js';
import type { Context } from './context.js';

const MAX_NODES = 100;

interface GlobalId {
  readonly typename: string;
  readonly id: string;
}

/** Null for what is no id of ours: it looks like one of something that does not exist (P9). */
function decodeGlobalId(globalId: string, info: GraphQLResolveInfo): GlobalId | null {
  const text = Buffer.from(globalId, 'base64').toString();
  const colon = text.indexOf(':');
  const typename = text.slice(0, Math.max(colon, 0));
  const type = info.schema.getType(typename);
  const isNode = isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
  return isNode ? { typename, id: text.slice(colon + 1) } : null;
}

/** What one may not see is null without an error. */
function hidden(error: unknown): null {
  if (error instanceof DomainError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
  throw error;
}

async function loadNodes(ids: readonly string[], context: Context, info: GraphQLResolveInfo) {
  const nodes = await resolveNodes(
    builder,
    context,
    info,
    ids.map((id) => decodeGlobalId(id, info)),
  ).catch(hidden);
  return ids.map((_, index) => Promise.resolve(nodes?.[index] ?? null).catch(hidden));
}

builder.queryField('node', (t) =>
  t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      'Anything with a global id: events, sessions, sources and so on. Null for what does not exist and for what one may not see.',
    args: { id: t.arg.id({ required: true, description: 'As an `id` field gave it.' }) },
    resolve: async (_, { id }, context, info) => (await loadNodes([id], context, info))[0],
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description: `At most ${MAX_NODES} things by their global ids, in that order; null as in \`node\`.`,
    args: {
      ids: t.arg.idList({ required: true, description: `As \`id\` fields gave them, at most ${MAX_NODES}.` }),
    },
    resolve: async (_, { ids }, context, info) => {
      if (ids.length > MAX_NODES) {
        throw badUserInput(`ids: expected at most ${MAX_NODES}, got ${ids.length}.`, { maximum: MAX_NODES });
      }
      return Promise.all(await loadNodes(ids, context, info));
    },
  }),
);
