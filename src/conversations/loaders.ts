import type { Operation } from '../accounts/operation.js';
import { defineLoader, rowByKey } from '../database/loaders.js';
import { requireConversation } from './access.js';
import type { EntryRow } from './entry.js';
import { type ConversationRow, findConversation, findEntries } from './store.js';

/** The viewer's own conversation by its id, null for any other (P9). Read once an operation, which is cut at its heads. */
export const conversationById = defineLoader<Operation, string, ConversationRow | null>((ids, operation) =>
  Promise.all(ids.map((id) => findConversation(operation, id))),
);

/** The conversation that the viewer is in. @throws FORBIDDEN, decided before any look-up. */
export async function ownConversationOf(operation: Operation): Promise<ConversationRow> {
  const conversation = await conversationById(operation).load(requireConversation(operation.viewer));
  // The credential refers to the session.
  if (conversation === null)
    throw new Error('The session of a RUN credential was not there (conversations-1).');
  return conversation;
}

/** An entry by its number in the viewer's own conversation; null for what lies beyond its end in this operation. */
export const entryByNumber = defineLoader<Operation, number, EntryRow | null>(async (numbers, operation) => {
  const { id, entryHead } = await ownConversationOf(operation);
  const known = numbers.filter((number) => number <= entryHead);
  const entries = known.length > 0 ? await findEntries(operation, id, known) : [];
  return rowByKey(numbers, entries, ({ number }) => number);
});
