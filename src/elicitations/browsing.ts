import { badUserInput } from '../errors.js';
import type { ElicitationStatus } from '../generated/prisma/enums.js';
import { builder } from '../graphql/builder.js';
import { connection } from '../graphql/connections.js';
import { requireScope } from './access.js';
import { elicitationHistory, type HistoryPage } from './history.js';
import { scopeElicitations } from './listings.js';
import { ElicitationConnection, ElicitationRef, ElicitationStatusRef } from './types.js';

export const ScopeRef = builder.enumType('ElicitationScope', {
  description: 'Whose elicitations.',
  values: {
    ME: {
      description: "Those asked of the viewer's account. A RUN credential needs the scope elicitations:read.",
    },
    ORG: {
      description:
        "Those made in the viewer's organisation, for its admins and its runtimes; others get FORBIDDEN.",
    },
  },
});

builder.queryField('elicitations', (t) =>
  t.field({
    type: ElicitationConnection,
    nullable: true,
    description:
      'What was asked, newest first, by pages with cursors. FORBIDDEN, BAD_USER_INPUT, INVALID_CURSOR.',
    args: {
      scope: t.arg({ type: ScopeRef, defaultValue: 'ME', description: 'Whose.' }),
      status: t.arg({
        type: [ElicitationStatusRef],
        description: 'Only those that are now one of these; at least one. Absent: all.',
      }),
      ...t.arg.connectionArgs(),
    },
    resolve: async (_, { scope, status, ...page }, { operation }) => {
      const whose = requireScope(operation.viewer, scope ?? 'ME');
      return connection(await scopeElicitations(operation, whose, statusFilter(status)), page);
    },
  }),
);

function statusFilter(status: readonly ElicitationStatus[] | null | undefined) {
  if (status?.length === 0) {
    throw badUserInput('status: expected at least one status, got an empty list. Leave it out for all.');
  }
  return status ?? undefined;
}

const ElicitationHistoryPageRef = builder.objectRef<HistoryPage>('ElicitationHistoryPage').implement({
  description:
    'A page of the history as of an instant. With the same `asOf` every page stays as it is, whatever is asked meanwhile; statuses are as of now.',
  fields: (t) => ({
    items: t.field({
      type: [ElicitationRef],
      description: 'createdAt descending, then elicitationId descending; empty past the end.',
      resolve: ({ items }) => items(),
    }),
    page: t.exposeInt('page', { description: 'From 1, after clamping.' }),
    pageSize: t.exposeInt('pageSize', { description: '1 to 100, after clamping.' }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description: 'The instant that was used: give it again for the other pages.',
    }),
    total: t.exposeInt('total', { description: 'How many there were at that instant, whatever the page.' }),
    scope: t.expose('scope', { type: ScopeRef, description: 'As asked for.' }),
    checkpoint: t.exposeString('checkpoint', {
      description:
        'How far the log of changes went before the page was read: `elicitationChanges(after:)` goes on from here without a gap.',
    }),
  }),
});

builder.queryField('elicitationHistory', (t) =>
  t.field({
    type: ElicitationHistoryPageRef,
    nullable: true,
    description:
      'What was asked up to an instant, by page numbers that do not drift. Numbers out of range are clamped, and the answer tells. FORBIDDEN.',
    args: {
      scope: t.arg({ type: ScopeRef, defaultValue: 'ME', description: 'Whose.' }),
      page: t.arg.int({
        defaultValue: 1,
        description: 'From 1; less is 1. Past the end there are no items.',
      }),
      pageSize: t.arg.int({ defaultValue: 25, description: '1 to 100; clamped.' }),
      asOf: t.arg.string({
        description:
          'An instant in ISO 8601, UTC unless it has an offset; cut to milliseconds. Absent or unreadable: now. One to come freezes when it is reached.',
      }),
    },
    resolve: (_, { scope, page, pageSize, asOf }, { operation }) =>
      elicitationHistory(operation, {
        scope: scope ?? 'ME',
        page: page ?? 1,
        pageSize: pageSize ?? 25,
        asOf,
      }),
  }),
);
