import { buildSchema, specifiedRules } from 'graphql';
import { describe, expect, it } from 'vitest';
import { Documents } from '../../src/graphql/documents.js';

const schema = buildSchema('type Query { hello(name: String): String }');

/** A document of so many characters. */
const ofSize = (size: number, name: string) => `{ ${name}: hello } #`.padEnd(size, '.');

function read(documents: Documents, source: string) {
  const document = documents.parse(source);
  documents.validate(schema, document, specifiedRules);
  return document;
}

describe('documents', () => {
  it('are parsed once while they are used', () => {
    const documents = new Documents();
    const document = read(documents, '{ hello }');
    for (let i = 0; i < 20; i += 1) {
      read(documents, ofSize(16 * 1024, `a${i}`));
      expect(read(documents, '{ hello }')).toBe(document);
    }
  });

  it('are forgotten, the least recently used first, before they are more than 256 K characters', () => {
    const documents = new Documents();
    const first = read(documents, '{ hello }');
    for (let i = 0; i < 2_000; i += 1) {
      read(documents, ofSize(1_000 + i, `a${i}`));
      expect(documents.size).toBeLessThanOrEqual(256 * 1024);
    }
    expect(documents.size).toBeGreaterThan(200 * 1024);
    expect(read(documents, '{ hello }')).not.toBe(first);
  });

  it('are not kept when they are long, as those are that have values written into them', () => {
    const documents = new Documents();
    read(documents, ofSize(16 * 1024 + 1, 'a'));
    expect(documents.size).toBe(0);
  });

  it('are not kept when they have faults', () => {
    const documents = new Documents();
    const document = documents.parse('{ nothing }');
    for (let i = 0; i < 2; i += 1) {
      expect(documents.validate(schema, document, specifiedRules)).toMatchObject([
        { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ]);
    }
    expect(documents.size).toBe(0);
  });
});
