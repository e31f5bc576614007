import { type Operation, renewed } from '../accounts/operation.js';

/** The context of one GraphQL operation. */
export interface Context {
  /** Replaced by `renew` when what was read is no longer what is. */
  operation: Operation;
  /** The base of every URL that the API shows, without a slash at the end. */
  readonly publicUrl: string;
}

/**
 * Forgets what was read: after a mutation field's commit, so that its payload shows it. Mutation fields run one after another, so
 * nobody else is reading meanwhile. Each pushed update has a context of its own.
 */
export function renew(context: Context): Operation {
  context.operation = renewed(context.operation);
  return context.operation;
}
