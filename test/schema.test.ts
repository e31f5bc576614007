import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { printedSchema, schema } from '../src/schema.js';
import { selectionOf } from './events/selection.js';

const PROJECT = join(import.meta.dirname, '..');
/** The contract lies beside the project while it is being built. */
const CONTRACT = join(PROJECT, '../shared/schema-sketch.graphql');
const hasContract = existsSync(CONTRACT);
if (!hasContract) console.warn(`No contract at ${CONTRACT}: the schema is not compared with it.`);

/** What later parts of Tidings bring; of the contract this is not asked for yet. */
const LATER = /elicitations?(history|change)|Query\.elicitations\b|elicitationscope/i;

describe('the schema', () => {
  it('is the one in schema.graphql; if not, run `npm run generate` and commit the file', () => {
    expect(readFileSync(join(PROJECT, 'schema.graphql'), 'utf8')).toBe(printedSchema());
  });

  it.skipIf(!hasContract)('offers all that the contract names, by those names and nullabilities', () => {
    // graphql-js knows the directive and refuses to have it defined again.
    const sdl = readFileSync(CONTRACT, 'utf8').replace(/^directive @oneOf.*$/m, '');
    const offered = new Set(surfaceOf(schema));
    const missing = surfaceOf(buildSchema(sdl, { assumeValidSDL: true })).filter(
      (line) => !LATER.test(line) && !offered.has(line),
    );
    expect(missing).toEqual([]);
  });

  it('says of everything what it is', () => {
    expect(ownTypes(schema).flatMap(undescribed)).toEqual([]);
  });

  it('lets one ask for every field of every event in one document without aliases', () => {
    const document = `subscription { sessionEvents(sessionId: "") { edges { node ${selectionOf('SessionEvent', 5)} } } }`;
    expect(validate(schema, parse(document)).map(({ message }) => message)).toEqual([]);
  });
});

const ownTypes = (subject: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(subject.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );

/** Everything that a client may rely on, a line each. */
const surfaceOf = (subject: GraphQLSchema): string[] => ownTypes(subject).flatMap(linesOf);

function linesOf(type: GraphQLNamedType): string[] {
  const itself = `${type.constructor.name} ${type}`;
  if (isEnumType(type)) return [itself, ...type.getValues().map(({ name }) => `${type}.${name}`)];
  if (isUnionType(type)) return [itself, ...type.getTypes().map((member) => `${type} = ${member}`)];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => `${type}.${valueLine(field)}`);
    return [`${itself}, one of: ${type.isOneOf}`, ...fields];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [itself];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    `${type}.${field.name}: ${field.type}`,
    ...field.args.map((argument) => `${type}.${field.name}(${valueLine(argument)})`),
  ]);
  return [itself, ...type.getInterfaces().map((parent) => `${type} implements ${parent}`), ...fields];
}

const valueLine = ({ name, type, defaultValue }: { name: string; type: unknown; defaultValue?: unknown }) =>
  `${name}: ${type} = ${JSON.stringify(defaultValue) ?? 'none'}`;

function undescribed(type: GraphQLNamedType): string[] {
  const parts = isEnumType(type)
    ? type.getValues()
    : isObjectType(type) || isInterfaceType(type)
      ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
      : isInputObjectType(type)
        ? Object.values(type.getFields())
        : [];
  return [
    ...(type.description ? [] : [type.name]),
    ...parts.filter(isSilent).map(({ name }) => `${type}.${name}`),
  ];
}

const isSilent = ({ description }: { readonly description?: string | null }) => !description;
