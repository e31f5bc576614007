import type { Operation } from '../accounts/operation.js';
import { builder } from '../graphql/builder.js';
import { followFrom, resumable } from '../graphql/following.js';
import type { Update } from '../live/follow.js';
import { requireScope, type Scope } from './access.js';
import { ScopeRef } from './browsing.js';
import { changeCursor } from './listings.js';
import { requireElicitation, scopeHead } from './loaders.js';
import { changeLog } from './log.js';
import type { ChangeRow } from './scope-store.js';
import { ElicitationRef, ElicitationTransitionRef } from './types.js';

/** A change and the log that it is shown from. */
interface Change {
  readonly scopeId: string;
  readonly row: ChangeRow;
}

const ElicitationChangeRef = builder.objectRef<Change>('ElicitationChange').implement({
  description: 'Something that happened to an elicitation.',
  fields: (t) => ({
    elicitation: t.field({
      type: ElicitationRef,
      description: 'As it is now, at least as new as the transition.',
      resolve: ({ row }, _, { operation }) => requireElicitation(operation, row.elicitationId),
    }),
    transition: t.field({
      type: ElicitationTransitionRef,
      description: 'What happened.',
      resolve: ({ row }) => row,
    }),
  }),
});

const ElicitationChangeEdgeRef = builder.objectRef<Change>('ElicitationChangeEdge').implement({
  description: 'A change and its place in the log.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Its place: `after` for what came later.',
      resolve: ({ scopeId, row }) => changeCursor(scopeId, row.number),
    }),
    node: t.field({
      type: ElicitationChangeRef,
      nullable: true,
      description: 'The change; null, with an error, if it could not be read.',
      resolve: (change) => change,
    }),
  }),
});

type ChangesUpdate = Update<ChangeRow> & { readonly scopeId: string };

const ElicitationChangesUpdateRef = builder.objectRef<ChangesUpdate>('ElicitationChangesUpdate').implement({
  description: "The next stretch of a scope's change log.",
  fields: (t) => ({
    edges: t.field({
      type: [ElicitationChangeEdgeRef],
      description: 'In the order of the log, at most 200.',
      resolve: ({ scopeId, entries }) => entries.map((row) => ({ scopeId, row })),
    }),
  }),
});

resumable(ElicitationChangesUpdateRef, ({ scopeId, position }) => changeCursor(scopeId, position));

/** Access and cursor are judged before the stream starts, against the database as it is now (P2). */
async function followChanges(operation: Operation, scope: Scope, after: string | null | undefined) {
  const { changeHead } = await scopeHead(operation).load(scope);
  return followFrom(operation, changeLog(operation.database, scope), { after, head: changeHead });
}

builder.subscriptionField('elicitationChanges', (t) =>
  t.field({
    type: ElicitationChangesUpdateRef,
    nullable: true,
    description:
      'What happened to the elicitations of a scope, then what happens: each creation, decision, cancellation, expiry and taking of a result once, in order. Without `after` from the start; after the checkpoint of `elicitations` or `elicitationHistory`, what those do not show yet. The first update comes at once, empty if there is nothing to replay. FORBIDDEN, INVALID_CURSOR.',
    args: {
      scope: t.arg({ type: ScopeRef, defaultValue: 'ME', description: 'Whose.' }),
      after: t.arg.string({ description: 'A checkpoint or cursor of this scope: only what came later.' }),
    },
    subscribe: (_, { scope, after }, { operation }) =>
      followChanges(operation, requireScope(operation.viewer, scope ?? 'ME'), after),
    resolve: (update, { scope }, { operation }) => ({
      ...update,
      scopeId: requireScope(operation.viewer, scope ?? 'ME').id,
    }),
  }),
);
