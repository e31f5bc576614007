import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { tooMany } from './document-size.js';

/** Values in an answer about the schema. What tools ask for, the whole schema, has a third of them, and takes some ten milliseconds. */
const MAX_VALUES = 50_000;

/**
 * Refuses a question about the schema whose answer would be large: short aliases repeat all of it, and what answers it gives nobody else
 * a turn until it is done. A valid document only.
 * @throws QUERY_TOO_COMPLEX
 */
export function refuseLargeIntrospection(schema: GraphQLSchema, { definitions }: DocumentNode): void {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    new Count(schema, fragments).root(definition.selectionSet);
  }
}

type MetaField = GraphQLField<unknown, unknown>;

/** Goes the way that answering goes, and only counts. */
class Count {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  #values = 0;

  constructor(schema: GraphQLSchema, fragments: readonly FragmentDefinitionNode[]) {
    this.#schema = schema;
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  root(set: SelectionSetNode): void {
    for (const field of this.#fields(set)) {
      const name = field.name.value;
      if (name === SchemaMetaFieldDef.name) this.#field(field, SchemaMetaFieldDef, this.#schema);
      // Which one a variable names is not known yet.
      else if (name === TypeMetaFieldDef.name) this.#shown(field, TypeMetaFieldDef, largest(this.#schema));
    }
  }

  #enter(set: SelectionSetNode, type: GraphQLObjectType, source: unknown): void {
    const known = type.getFields();
    for (const field of this.#fields(set)) {
      const definition = known[field.name.value];
      if (definition === undefined) this.#count();
      else this.#field(field, definition, source);
    }
  }

  #field(field: FieldNode, definition: MetaField, source: unknown): void {
    this.#shown(field, definition, definition.resolve?.(source, WITH_ALL, undefined, asInfo(this.#schema)));
  }

  #shown(field: FieldNode, definition: MetaField, value: unknown): void {
    this.#count();
    const type = getNamedType(definition.type);
    if (field.selectionSet === undefined || !isObjectType(type)) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) this.#enter(field.selectionSet, type, item);
    }
  }

  #fields(set: SelectionSetNode): readonly FieldNode[] {
    return set.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection;
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
      return inner === undefined ? [] : this.#fields(inner.selectionSet);
    });
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw tooMany(MAX_VALUES, 'values about the schema in its answer', 'more');
  }
}

const WITH_ALL = { includeDeprecated: true };

/** Of all that a resolver may be told, those of the schema's own fields ask for the schema alone. */
const asInfo = (schema: GraphQLSchema) => ({ schema }) as GraphQLResolveInfo;

function largest(schema: GraphQLSchema): GraphQLObjectType | undefined {
  const size = (type: GraphQLObjectType) => Object.keys(type.getFields()).length;
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.toSorted((one, other) => size(other) - size(one))[0];
}
