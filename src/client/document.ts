import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  print,
  type SelectionSetNode,
} from 'graphql';
import { FollowError } from './fault.js';

/** A document that knows what it asks for, as GraphQL Code Generator makes them: nodes or text. */
export interface TypedDocument<Data, Variables> {
  readonly __apiType?: ((variables: Variables) => Data) | undefined;
}

/** What a document follows. */
export interface Followed {
  readonly query: string;
  /** Where in the data its updates are. */
  readonly field: string;
  /** The variable that says after what. */
  readonly variable: string;
}

/** @throws FollowError BAD_DOCUMENT for one that could not be gone on with. */
export function readDocument(document: string | object): Followed {
  const query = isNode(document) ? print(document) : String(document);
  const { definitions } = parsed(query);
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const [operation, ...others] = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation?.operation !== 'subscription' || others.length > 0)
    throw badDocument('one operation, a subscription', 'another or several');
  const [field, ...more] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || more.length > 0) throw badDocument('one field at its root', 'others');
  const { name, alias, selectionSet } = field;
  const variable = variableOf(field);
  if (variable === undefined) throw badDocument(`${name.value}(after: $after)`, 'no variable there');
  if (!selectsCheckpoint(selectionSet, fragments))
    throw badDocument(`${name.value} { checkpoint }`, 'it left out');
  return { query, field: (alias ?? name).value, variable };
}

const isNode = (document: string | object): document is DocumentNode =>
  typeof document === 'object' && 'kind' in document;

function parsed(query: string): DocumentNode {
  try {
    return parse(query);
  } catch (cause) {
    throw new FollowError('BAD_DOCUMENT', `Expected GraphQL, got something else: ${String(cause)}`, {
      cause,
    });
  }
}

function variableOf(field: FieldNode): string | undefined {
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : undefined;
}

/** By this name, by itself or in a fragment. Fragments in a circle are for the server to refuse. */
function selectsCheckpoint(
  set: SelectionSetNode | undefined,
  fragments: readonly FragmentDefinitionNode[],
): boolean {
  const sets = new Set([set]);
  for (const current of sets) {
    for (const selection of current?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        if (selection.name.value === 'checkpoint' && selection.alias === undefined) return true;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      else sets.add(fragments.find(({ name }) => name.value === selection.name.value)?.selectionSet);
    }
  }
  return false;
}

const badDocument = (expected: string, got: string) =>
  new FollowError(
    'BAD_DOCUMENT',
    `Expected a document with ${expected}, got ${got}: what is followed is gone on with from its checkpoint.`,
  );
