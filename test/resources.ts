import { expect } from 'vitest';

/** What keeps this process alive, by kind. */
export function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

const PATIENCE = 10_000;

/**
 * Waits until there is no more of what a gateway opens than there was `before`. No timer helps to wait, since it would be counted
 * itself.
 */
export async function expectReleased(before: ReadonlyMap<string, number>): Promise<void> {
  const start = performance.now();
  while (leftOver(before).length > 0 && performance.now() - start < PATIENCE) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(leftOver(before)).toEqual([]);
}

function leftOver(before: ReadonlyMap<string, number>): readonly string[] {
  const kinds = [
    'TCPSocketWrap',
    'TCPServerWrap',
    'PipeWrap',
    'PipeServerWrap',
    'Timeout',
    'MessagePort',
    'FSEventWrap',
  ];
  const now = countResources();
  return kinds.filter((kind) => (now.get(kind) ?? 0) > (before.get(kind) ?? 0));
}
