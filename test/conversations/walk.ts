import { expect } from 'vitest';
import type { ConversationHouse, Entry } from './house.js';

/** All entries, oldest first, read by older and older pages from the newest; checks what each page says of itself. */
export async function walkBack(
  { read }: Pick<ConversationHouse, 'read'>,
  token: string,
  variables: object,
  total: number,
  size: () => number,
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  let before: string | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof read>> = await read(token, { ...variables, before, last: size() });
    found.unshift(...page.nodes);
    expect(page.totalCount).toBe(total);
    expect(page.pageInfo).toMatchObject({
      hasPreviousPage: found.length < total,
      hasNextPage: before !== null,
    });
    if (!page.pageInfo.hasPreviousPage || page.nodes.length === 0) return found;
    before = page.pageInfo.startCursor;
  }
}
