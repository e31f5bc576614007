import { z } from 'zod';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id of ours as the database keeps it, in lower case; undefined for text that is none, so for what cannot exist. */
export function asUuid(text: string): string | undefined {
  const id = text.toLowerCase();
  return UUID.test(id) ? id : undefined;
}

/** The same as a zod type, for ids that a writer or an operator names: `what` is one of them, such as "a sessionId". */
export const uuid = (what: string) =>
  z.string().toLowerCase().regex(UUID, `expected ${what}, which is a UUID`);

/** Loads what ids name; null, without asking, for those that are none. */
export const loadUuids = <T>(
  ids: readonly string[],
  load: (id: string) => Promise<T | null>,
): Promise<(T | null)[]> =>
  Promise.all(
    ids.map((text) => {
      const id = asUuid(text);
      return id === undefined ? null : load(id);
    }),
  );
