import {
  type ArgumentNode,
  type DirectiveNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './connections.js';

/** An object of an answer is 1; a page is more, since it is read for itself, and so is a write. Plain values are free. */
const PAGE = 10;
const MUTATION = 10;

/** Entries of a list that nobody asked for by number, such as the citations of a message. */
const LIST = 5;

/** `__schema` or `__type`, whatever of it: the schema has an end, and validation bounds how often it may be gone through. */
const INTROSPECTION = 1_000;

/** How many entries a field is asked for; of an argument that is a list, as many as it has. */
const SIZES: ReadonlySet<string> = new Set(['first', 'last', 'pageSize', 'ids']);

/** What a selection costs on one object: by itself, and for each entry of the lists in it that have no size of their own. */
interface Cost {
  readonly once: number;
  readonly perEntry: number;
}

const FREE: Cost = { once: 0, perEntry: 0 };

const plus = (one: Cost, other: Cost): Cost => ({
  once: one.once + other.once,
  perEntry: one.perEntry + other.perEntry,
});

/** Of a selection whose lists are not paged. */
const total = ({ once, perEntry }: Cost): number => once + LIST * perEntry;

/**
 * What an operation may cost at most, known before it runs: about how many objects its answer holds when every page is full. Each
 * selection is looked at once for each type that it may be on, so it takes as long as the document is. For a valid document.
 */
export function costOf({ schema, document, operationName, variableValues }: ExecutionArgs): number {
  const operation = getOperationAST(document, operationName);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) return 0;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const variables: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name;
    variables[name] = variableValues?.[name] ?? (defaultValue && valueFromASTUntyped(defaultValue));
  }
  const costs = new Costs(schema, fragments as FragmentDefinitionNode[], variables);
  return Math.min(total(costs.of(operation.selectionSet, type)), Number.MAX_SAFE_INTEGER);
}

class Costs {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  /** By selection and the type that it is on: a fragment is looked at once, however often it is spread. */
  readonly #known = new Map<SelectionSetNode, Map<string, Cost>>();

  constructor(
    schema: GraphQLSchema,
    fragments: readonly FragmentDefinitionNode[],
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema;
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
    this.#variables = variables;
  }

  of(set: SelectionSetNode, type: GraphQLCompositeType): Cost {
    const known = this.#known.get(set) ?? new Map<string, Cost>();
    this.#known.set(set, known);
    const cost =
      known.get(type.name) ?? (isAbstractType(type) ? this.#dearest(set, type) : this.#sum(set, type));
    known.set(type.name, cost);
    return cost;
  }

  /** An object is of one of the types: what is selected on the others is not paid for. */
  #dearest(set: SelectionSetNode, type: Parameters<GraphQLSchema['getPossibleTypes']>[0]): Cost {
    const costs = this.#schema.getPossibleTypes(type).map((possible) => this.of(set, possible));
    return costs.reduce((dearest, cost) => (total(cost) > total(dearest) ? cost : dearest), FREE);
  }

  #sum({ selections }: SelectionSetNode, type: GraphQLObjectType): Cost {
    return selections.reduce((sum, selection) => plus(sum, this.#ofSelection(selection, type)), FREE);
  }

  #ofSelection(selection: SelectionNode, type: GraphQLObjectType): Cost {
    if (this.#isLeftOut(selection.directives)) return FREE;
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, type);
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
    if (fragment === undefined) return FREE;
    const condition = fragment.typeCondition && this.#schema.getType(fragment.typeCondition.name.value);
    const applies =
      condition === undefined ||
      condition === type ||
      (isAbstractType(condition) && this.#schema.isSubType(condition, type));
    return applies ? this.of(fragment.selectionSet, type) : FREE;
  }

  #ofField(node: FieldNode, parent: GraphQLObjectType): Cost {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return { once: INTROSPECTION, perEntry: 0 };
    const field = parent.getFields()[name];
    const type = field && getNamedType(field.type);
    if (!isCompositeType(type) || node.selectionSet === undefined) return FREE;
    const inner = this.of(node.selectionSet, type);
    const isList = isListType(getNullableType(field?.type));
    const size = field && this.#sizeOf(node, field);
    if (size !== undefined) {
      const page = isList ? size * (1 + total(inner)) : inner.once + size * inner.perEntry;
      return { once: PAGE + page, perEntry: 0 };
    }
    if (isList) return { once: 0, perEntry: 1 + total(inner) };
    return { once: (parent === this.#schema.getMutationType() ? MUTATION : 1) + total(inner), perEntry: 0 };
  }

  /** Undefined for a field that is not asked for by number. A size that would be refused reads nothing, and counts as the largest. */
  #sizeOf(
    { arguments: given = [] }: FieldNode,
    { args }: GraphQLField<unknown, unknown>,
  ): number | undefined {
    const sizes = args.filter(({ name }) => SIZES.has(name));
    if (sizes.length === 0) return undefined;
    const asked = sizes.map(({ name, defaultValue }) => {
      const argument = given.find((candidate) => candidate.name.value === name);
      return (argument && this.#valueOf(argument)) ?? defaultValue;
    });
    const numbers = asked.map((value) => (Array.isArray(value) ? value.length : value));
    const size = numbers.find((value) => typeof value === 'number') ?? DEFAULT_PAGE_SIZE;
    return Math.min(Math.max(size, 0), MAX_PAGE_SIZE);
  }

  #isLeftOut(directives: readonly DirectiveNode[] = []): boolean {
    return directives.some(({ name, arguments: [condition] = [] }) => {
      if (condition === undefined) return false;
      const value = this.#valueOf(condition);
      return name.value === 'skip' ? value === true : name.value === 'include' && value === false;
    });
  }

  #valueOf({ value }: ArgumentNode): unknown {
    return valueFromASTUntyped(value, this.#variables);
  }
}
