import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { bytesOfName, unmetered } from '../../graphql/answer-meter.js';
import type { Context } from '../../graphql/context.js';
import { type Shape, shapeOf } from './shape.js';

/** What all fields of an execution share. */
export interface Scope {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** Coerced. */
  readonly variables: Record<string, unknown>;
  readonly context: Context;
}

/** A field as an operation asks for it, the same for each object of a type. */
export interface Selected {
  readonly key: string;
  /** What the answer's meter counts of its name. */
  readonly bytes: number;
  readonly shape: Shape;
  readonly isLeaf: boolean;
  readonly resolve: GraphQLFieldResolver<unknown, Context>;
  readonly args: Record<string, unknown>;
  /** Its path is only the key: no resolver here reads more of it. */
  readonly info: GraphQLResolveInfo;
  /** What is selected of each type that it may show, as far as it was asked for. */
  readonly below: Map<GraphQLObjectType, readonly Selected[]>;
}

/** Thrown where graphql-js has something to say. */
export class Flaw extends Error {}

/** What is selected of objects of a type, in the order of the document. @throws Flaw, or GraphQLError for arguments. */
export function selectionOf(
  scope: Scope,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): readonly Selected[] {
  const nodes = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  for (const set of sets) collect(scope, type, set?.selections ?? [], nodes, spread);
  return [...nodes].map(([key, fields]) => selected(scope, type, key, fields));
}

function collect(
  scope: Scope,
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  nodes: Map<string, FieldNode[]>,
  spread: Set<string>,
): void {
  for (const selection of selections) {
    if (!isIncluded(scope, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      const known = nodes.get(key);
      if (known === undefined) nodes.set(key, [selection]);
      else known.push(selection);
      continue;
    }
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD ? spreadOnce(scope, selection.name.value, spread) : selection;
    if (fragment === undefined || !appliesTo(scope, fragment.typeCondition?.name.value, type)) continue;
    collect(scope, type, fragment.selectionSet.selections, nodes, spread);
  }
}

function spreadOnce({ fragments }: Scope, name: string, spread: Set<string>) {
  if (spread.has(name)) return undefined;
  spread.add(name);
  return fragments[name];
}

function isIncluded({ variables }: Scope, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function appliesTo({ schema }: Scope, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}

/** Introspection, but for `__typename`, is graphql-js's own; so is a name that would be an object's prototype. */
function selected(
  { schema, fragments, operation, variables }: Scope,
  parent: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
): Selected {
  const name = nodes[0]?.name.value ?? '';
  const isTypeName = name === TypeNameMetaFieldDef.name;
  const field = isTypeName ? TypeNameMetaFieldDef : parent.getFields()[name];
  if (nodes[0] === undefined || field === undefined || key === '__proto__') throw new Flaw();
  const info = {
    fieldName: name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: parent,
    path: { prev: undefined, key, typename: parent.name },
    schema,
    fragments,
    rootValue: undefined,
    operation,
    variableValues: variables,
  };
  return {
    key,
    bytes: isTypeName ? 0 : bytesOfName(key),
    shape: shapeOf(field.type),
    isLeaf: !isTypeName && isLeafType(getNamedType(field.type)),
    resolve: unmetered(field.resolve ?? defaultFieldResolver),
    args: getArgumentValues(field, nodes[0], variables),
    info,
    below: new Map(),
  };
}
