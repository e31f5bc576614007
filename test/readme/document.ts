import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** A file of the project, by its path from the root. */
export const file = (path: string): string => readFileSync(join(root, path), 'utf8');

/** README.md, then the pages in the order in which it lists them: all that a user reads and types. */
export const PAGES: readonly string[] = [
  'README.md',
  ...[...file('README.md').matchAll(/^\| \[[^\]]+\]\((src\/\w+\/README\.md)\)/gm)].map(
    ([, path = '']) => path,
  ),
];
export const guide = PAGES.map(file).join('\n');

/** A fenced block of the guide, and the heading that it stands under. */
export interface Block {
  readonly language: string;
  readonly heading: string;
  readonly text: string;
}

/** The fenced blocks of a Markdown text, in order. */
export function readBlocks(markdown: string): readonly Block[] {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)];
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ({ 1: language = '', 2: text = '', index }) => ({
      language,
      text,
      heading: headings.findLast((heading) => heading.index < index)?.[1] ?? '',
    }),
  );
}

/** The rows of the table whose first column is headed so, as their cells. */
export function table(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const rows = lines.slice(lines.findIndex((line) => line.startsWith(`| ${heading} |`)) + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) => line.slice(2, -2).split(' | '));
}

/** What stands between backquotes. */
export const quoted = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
