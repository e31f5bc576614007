import { z } from 'zod';
import type { Operation } from '../accounts/operation.js';
import type { Transaction } from '../database/database.js';
import { transact } from '../database/transact.js';
import { canonicalJson } from '../events/content-hash.js';
import { id, isObject, optional, parse, text } from '../parse.js';
import { askerOf, noSuchElicitation, requirePerson } from './access.js';
import { bodyText } from './bodies.js';
import { settledOtherwise } from './conflicts.js';
import { checkSubmission, requireNoSubmission } from './form-submission.js';
import { bodyOf, requireElicitation } from './loaders.js';
import { type ChangeHead, expireDue, lockScopes, recordTransitions, writeState } from './record-store.js';
import { changesOf, instantOf, isDue, isRepeated, mayBecome, type Step } from './state.js';
import { type ElicitationRow, findBody, lockRow } from './store.js';
import { announce } from './topics.js';

const reason = () => optional(text(4_000, 1));

const approval = z.strictObject({ elicitationId: id(), formSubmission: z.unknown().optional() });

/**
 * Approves what the viewer is asked, with a form's answers where one is asked for. The same by the same person again changes nothing.
 * @throws FORBIDDEN unless PERSONAL; BAD_USER_INPUT with the path of an answer that does not fit; NOT_FOUND unless it is asked of the
 * viewer's account or the viewer is an admin of the organisation that it was made in; CONFLICT when something else came first.
 */
export async function approveElicitation(operation: Operation, input: unknown): Promise<ElicitationRow> {
  requirePerson(operation.viewer, 'Approving');
  const { elicitationId, formSubmission } = parse(approval, input);
  // All that a person sees by id, it may decide.
  const row = await requireElicitation(operation, elicitationId);
  const submission = await checkedSubmission(operation, row, formSubmission);
  const step: Step = { to: 'APPROVED', by: operation.viewer.accountId, reason: null };
  return take(operation, row, step, 'an elicitation that waits for a decision', submission);
}

const rejection = z.strictObject({ elicitationId: id(), reason: reason() });

/**
 * Rejects what the viewer is asked. The same by the same person again changes nothing.
 * @throws FORBIDDEN, BAD_USER_INPUT, NOT_FOUND, CONFLICT as `approveElicitation`.
 */
export async function rejectElicitation(operation: Operation, input: unknown): Promise<ElicitationRow> {
  requirePerson(operation.viewer, 'Rejecting');
  const { elicitationId, reason = null } = parse(rejection, input);
  const row = await requireElicitation(operation, elicitationId);
  const step: Step = { to: 'REJECTED', by: operation.viewer.accountId, reason };
  return take(operation, row, step, 'an elicitation that waits for a decision');
}

/**
 * Takes back what the viewer's asker asked, while it waits. The same again changes nothing.
 * @throws BAD_USER_INPUT; NOT_FOUND unless the viewer's asker asked it; CONFLICT when something else came first.
 */
export async function cancelElicitation(operation: Operation, input: unknown): Promise<ElicitationRow> {
  const { elicitationId, reason = null } = parse(rejection, input);
  const row = await requireAsked(operation, elicitationId);
  const step: Step = { to: 'CANCELED', by: operation.viewer.accountId, reason };
  return take(operation, row, step, 'an elicitation that waits for a decision');
}

const consumption = z.strictObject({ elicitationId: id() });

/**
 * Takes the result of what the viewer's asker asked; again, the same result.
 * @throws BAD_USER_INPUT; NOT_FOUND unless the viewer's asker asked it; CONFLICT while nobody has decided, and when nobody will.
 */
export async function consumeElicitation(operation: Operation, input: unknown): Promise<ElicitationRow> {
  const { elicitationId } = parse(consumption, input);
  const row = await requireAsked(operation, elicitationId);
  return take(
    operation,
    row,
    { to: 'CONSUMED', by: operation.viewer.accountId },
    'an elicitation that is decided',
  );
}

/** @throws NOT_FOUND unless the viewer's asker asked it: whoever else sees it is told the same as who does not. */
async function requireAsked(operation: Operation, elicitationId: string): Promise<ElicitationRow> {
  const row = await requireElicitation(operation, elicitationId);
  if (row.askerId !== askerOf(operation.viewer)) throw noSuchElicitation();
  return row;
}

/** The answers as JSON text, fit for what was asked; null where that is approval alone. */
async function checkedSubmission(
  operation: Operation,
  { id }: ElicitationRow,
  submission: unknown,
): Promise<string | null> {
  const path = 'input.formSubmission';
  const schema = await bodyOf(operation).load({ id, part: 'requestedSchema' });
  if (isObject(schema)) return bodyText(checkSubmission(schema, submission, path), path);
  requireNoSubmission(submission, path);
  return null;
}

/** Whether these answers are those that were given: the order of their names says nothing. */
async function isSameSubmission(tx: Transaction, id: string, submission: string | null): Promise<boolean> {
  const body = await findBody(tx, { id, part: 'formSubmission' });
  const canonical = (json: string | null) => (json === null ? null : canonicalJson(JSON.parse(json)));
  return canonical(body?.json ?? null) === canonical(submission);
}

interface Taken {
  readonly row: ElicitationRow;
  readonly done: boolean;
  readonly heads: readonly ChangeHead[];
}

/**
 * Takes a step or finds that it was taken; whoever comes first wins (P8). All rivals, expiry among them, take the same locks, and what is true
 * under them is what counts: an elicitation whose time is over by then expires, whatever was asked of it.
 * @throws CONFLICT when something else came first.
 */
async function take(
  operation: Operation,
  found: ElicitationRow,
  step: Step,
  expected: string,
  submission: string | null = null,
): Promise<ElicitationRow> {
  const { row, done, heads } = await transact(operation.database, async (tx): Promise<Taken> => {
    await lockScopes(tx, found);
    const row = await lockRow(tx, found.id);
    const at = instantOf(row, row.now);
    if (isDue(row, at)) {
      const heads = await expireDue(tx, row, [row.id]);
      return { row: { ...row, status: 'EXPIRED' }, done: false, heads };
    }
    if (!mayBecome(row.status, step.to)) {
      const same =
        isRepeated(row, step) && (step.to !== 'APPROVED' || (await isSameSubmission(tx, row.id, submission)));
      return { row, done: same, heads: [] };
    }
    const changes = changesOf(step, at);
    await writeState(tx, row.id, changes, submission);
    const transition = { id: row.id, from: row.status, to: step.to, at, by: step.by };
    const heads = await recordTransitions(tx, row, [transition]);
    return { row: { ...row, ...changes }, done: true, heads };
  });
  announce(operation, heads);
  if (done) return row;
  throw await settledOtherwise(operation, row, expected);
}
