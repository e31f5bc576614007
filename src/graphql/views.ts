import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { Viewer } from '../accounts/viewer.js';

/**
 * Names what subscribers see of the same update (P6): two of one name have the same operation, the same variables but for their cursors,
 * and the same access. Undefined for one that shares with nobody, since its cursor may show in what it sees.
 */
export function viewOf(args: ExecutionArgs, viewer: Viewer): string | undefined {
  const { document, operationName, variableValues } = args;
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const cursor = cursorVariable(operation);
  if (cursor !== undefined && usesOf(document, cursor) !== 1) return undefined;
  const { [cursor ?? '']: _, ...others } = variableValues ?? {};
  const source = document.loc?.source.body;
  const seen = [source, operationName, others, accessOf(viewer)];
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64');
}

/** All that decides what a viewer may see; which of its credentials it is does not. */
const accessOf = ({ kind, accountId, organizationId, role, sessionId, scopes }: Viewer) => [
  kind,
  accountId,
  organizationId,
  role,
  sessionId,
  scopes,
];

/** The variable that the root field has for its `after`. */
function cursorVariable({ selectionSet }: OperationDefinitionNode): string | undefined {
  const [root] = selectionSet.selections;
  if (root?.kind !== Kind.FIELD) return undefined;
  const after = root.arguments?.find(({ name }) => name.value === 'after')?.value;
  return after?.kind === Kind.VARIABLE ? after.name.value : undefined;
}

/** How often a document uses a variable, its definitions aside. */
function usesOf(document: DocumentNode, variable: string): number {
  let uses = 0;
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => {
      if (name.value === variable) uses += 1;
    },
  });
  return uses;
}
