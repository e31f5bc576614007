import {
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

/** What a value of a type becomes, so that it is found out once a type and not once a value. */
export type Shape =
  | { readonly kind: 'nonNull'; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType };

const shapes = new WeakMap<GraphQLOutputType, Shape>();

export function shapeOf(type: GraphQLOutputType): Shape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const shape = makeShape(type);
  shapes.set(type, shape);
  return shape;
}

function makeShape(type: GraphQLOutputType): Shape {
  if (isNonNullType(type)) return { kind: 'nonNull', of: shapeOf(type.ofType) };
  if (isListType(type)) return { kind: 'list', of: shapeOf(type.ofType) };
  if (isLeafType(type)) return { kind: 'leaf', type };
  return isAbstractType(type) ? { kind: 'abstract', type } : { kind: 'object', type };
}
