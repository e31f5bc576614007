import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** The arrow, as src/README.md draws it: a part imports from its own column and from those to its left. */
const [, arrow = ''] = /^```\n(.* → cli)\n```$/m.exec(readFileSync(join(source, 'README.md'), 'utf8')) ?? [];
const COLUMNS = arrow.split(' → ').map((column) => column.split(' '));

const columnOf = (file: string): number => {
  const part = file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
  return COLUMNS.findIndex((parts) => parts.includes(part));
};

/** Every file of src/ with the files it imports, types too. */
function readImports(): Map<string, readonly string[]> {
  const files = sourceFiles();
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(source, file), 'utf8');
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) =>
        normalize(join(dirname(file), path)).replace(/\.js$/, '.ts'),
      );
      return [file, imports];
    }),
  );
}

const sourceFiles = (): string[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => file.replaceAll('\\', '/'));

const imports = readImports();

describe('the source', () => {
  it('has every part in the arrow', () => {
    expect([...imports.keys()].filter((file) => columnOf(file) < 0)).toEqual([]);
  });

  it('imports only to the left', () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => columnOf(target) > columnOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(findCircle(imports)).toEqual([]);
  });

  it('keeps GraphQL out of stores, rules and actions, and Prisma out of types and fields', () => {
    const wrong = [...imports.keys()].flatMap((file) => {
      const text = readFileSync(join(source, file), 'utf8');
      const name = file.split('/').at(-1) ?? '';
      if (/^(store|state|actions|loaders)\.ts$/.test(name) && /from '(graphql|@pothos)/.test(text))
        return [file];
      if (/^(types|fields)\.ts$/.test(name) && /generated\/prisma\/client|\.prisma\./.test(text))
        return [file];
      return [];
    });
    expect(wrong).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const readers = [...imports.keys()].filter((file) =>
      /process\.env/.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(readers.filter((file) => !['config.ts', 'cli.ts'].includes(file))).toEqual([]);
  });

  it('has no drawers, barrels or silenced checks', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|shared|misc|index)(\/|\.ts$)/;
    const silenced = /@ts-(ignore|expect-error|nocheck)|biome-ignore|\bas any\b|: any\b/;
    const wrong = [...imports.keys()].filter(
      (file) => drawers.test(file) || silenced.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });
});

/** The files of the first circle found, in order, or none. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const target of graph.get(file) ?? []) {
      const circle = visit(target, [...path, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}
