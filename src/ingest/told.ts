import { digest } from './ids.js';

/** The part of a format's state that tells news from what is said again: snapshots repeat the whole conversation. */
export interface ToldState {
  /** Messages by their public id, and a digest of the text that was told of each; newest last. */
  told: [messageId: string, text: string][];
}

/** How many messages are remembered. One that was forgotten is told again, as a duplicate of the event that is there. */
const REMEMBERED_MESSAGES = 256;

/** Whether it is news that the message has this text; remembers that it is told. */
export function isNews(state: ToldState, messageId: string, text: string): boolean {
  const content = digest([text]);
  const known = state.told.find(([id]) => id === messageId)?.[1];
  if (known === content) return false;
  const others = state.told.filter(([id]) => id !== messageId);
  state.told = [...others, [messageId, content] satisfies [string, string]].slice(-REMEMBERED_MESSAGES);
  return true;
}
