import { getNamedType, isCompositeType, isObjectType, isUnionType } from 'graphql';
import { schema } from '../../src/schema.js';

/**
 * All fields of a type that need no argument, down to a depth, every member of a union in one selection without aliases. Of a session
 * only its id; lists of their own are another document's business.
 */
export function selectionOf(name: string, depth: number): string {
  const type = schema.getType(name);
  if (isUnionType(type)) {
    const members = type.getTypes().map((member) => `... on ${member} ${selectionOf(member.name, depth)}`);
    return `{ __typename ${members.join(' ')} }`;
  }
  if (!isObjectType(type)) throw new Error(`${name} has no fields.`);
  const fields = Object.values(type.getFields()).map((field) => {
    const { name: inner } = getNamedType(field.type);
    if (!isCompositeType(schema.getType(inner))) return field.name;
    if (inner === 'Session') return 'session { sessionId }';
    return depth === 0 || inner.endsWith('Connection')
      ? ''
      : `${field.name} ${selectionOf(inner, depth - 1)}`;
  });
  return `{ ${fields.join(' ')} }`;
}
