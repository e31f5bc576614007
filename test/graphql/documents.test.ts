import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { Documents, FaultyDocument } from '../../src/graphql/documents.js';
import { Turns } from '../../src/graphql/turns.js';

const schema = buildSchema('type Query { hello(name: String): String }');
const { documents: limits } = readConfig({});

const open = () => new Documents(schema, new Turns(), { limits, introspection: true, suggestions: true });

/** A document of so many characters. */
const ofSize = (size: number, name: string) => `{ ${name}: hello } #`.padEnd(size, '.');

describe('documents', () => {
  it('are parsed once while they are used', async () => {
    const documents = open();
    const document = await documents.read('{ hello }', 'me');
    for (let i = 0; i < 20; i += 1) {
      await documents.read(ofSize(16 * 1024, `a${i}`), 'me');
      expect(await documents.read('{ hello }', 'me')).toBe(document);
    }
  });

  it('are parsed once when many ask for one at once', async () => {
    const documents = open();
    const all = await Promise.all(['a', 'b', 'c'].map((who) => documents.read('{ hello }', who)));
    expect(new Set(all).size).toBe(1);
  });

  it('are forgotten, the least recently used first, before they are more than 256 K characters', async () => {
    const documents = open();
    const first = await documents.read('{ hello }', 'me');
    for (let i = 0; i < 2_000; i += 1) {
      await documents.read(ofSize(1_000 + i, `a${i}`), 'me');
      expect(documents.size).toBeLessThanOrEqual(256 * 1024);
    }
    expect(documents.size).toBeGreaterThan(200 * 1024);
    expect(await documents.read('{ hello }', 'me')).not.toBe(first);
  });

  it('are not kept when they are long, as those are that have values written into them', async () => {
    const documents = open();
    await documents.read(ofSize(16 * 1024 + 1, 'a'), 'me');
    expect(documents.size).toBe(0);
  });

  it('are not kept when they have faults', async () => {
    const documents = open();
    for (let i = 0; i < 2; i += 1) {
      const fault = await documents.read('{ nothing }', 'me').catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(FaultyDocument);
      expect(fault).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
    }
    expect(documents.size).toBe(0);
  });
});
