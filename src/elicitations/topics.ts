import type { Operation } from '../accounts/operation.js';
import type { ChangeHead } from './record-store.js';

/**
 * The key of the change log of an account or an organisation, in the bus and in cursors. It is the log's only topic: lists of sessions
 * listen on the topics of accounts and organisations, and are not concerned.
 */
export const changeLogKey = (scopeId: string): string => `elicitations:${scopeId}`;

/** Tells whoever follows these change logs that they go on: hints, after the commit (P4). */
export function announce({ bus }: Pick<Operation, 'bus'>, heads: readonly ChangeHead[]): void {
  for (const { scopeId, changeHead } of heads) {
    bus.publish({ log: changeLogKey(scopeId), head: changeHead, topics: [] });
  }
}
