import type { ElicitationDecision, ElicitationStatus } from '../generated/prisma/enums.js';

/** Where an elicitation stands; its instants are all that its history consists of. */
export interface ElicitationState {
  readonly status: ElicitationStatus;
  /** Stays when the result was taken. */
  readonly decision: ElicitationDecision | null;
  readonly decidedById: string | null;
  /** Why it was rejected or canceled. */
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly decidedAt: Date | null;
  readonly consumedAt: Date | null;
  readonly canceledAt: Date | null;
}

/** What somebody wants to happen; `by` is an accountId. */
export type Step =
  | { readonly to: ElicitationDecision; readonly by: string; readonly reason: string | null }
  | { readonly to: 'CANCELED'; readonly by: string; readonly reason: string | null }
  | { readonly to: 'CONSUMED'; readonly by: string };

const NEXT: Readonly<Record<ElicitationStatus, readonly ElicitationStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED', 'CANCELED', 'EXPIRED'],
  APPROVED: ['CONSUMED'],
  REJECTED: ['CONSUMED'],
  CONSUMED: [],
  EXPIRED: [],
  CANCELED: [],
};

export const mayBecome = (from: ElicitationStatus, to: ElicitationStatus): boolean => NEXT[from].includes(to);

/** The number of the transition that leads to a status, hence how many there are by then: 1 creates, 2 ends the waiting, 3 takes the result. */
export function transitionNumber(status: ElicitationStatus): number {
  if (status === 'PENDING') return 1;
  return status === 'CONSUMED' ? 3 : 2;
}

/** When a transition happens that is written at `now`: never before the one before it, whatever the clock does (P8). */
export function instantOf({ createdAt, decidedAt }: ElicitationState, now: Date): Date {
  const previous = decidedAt ?? createdAt;
  return previous > now ? previous : now;
}

/** Whether its time is over at `instant` and nobody has written that down: from expiresAt on, that instant included. */
export const isDue = ({ status, expiresAt }: ElicitationState, instant: Date): boolean =>
  status === 'PENDING' && expiresAt !== null && expiresAt <= instant;

/** What a step changes, at `at`; that it may be taken is `mayBecome`'s to say. */
export function changesOf(step: Step, at: Date): Partial<ElicitationState> {
  switch (step.to) {
    case 'APPROVED':
    case 'REJECTED':
      return {
        status: step.to,
        decision: step.to,
        decidedById: step.by,
        decidedAt: at,
        reason: step.reason,
      };
    case 'CANCELED':
      return { status: 'CANCELED', canceledAt: at, reason: step.reason };
    case 'CONSUMED':
      return { status: 'CONSUMED', consumedAt: at };
    default:
      return step satisfies never;
  }
}

/** Whether the step was taken before, in the same words and, for a decision, by the same person: then it is done, not refused. */
export function isRepeated(state: ElicitationState, step: Step): boolean {
  switch (step.to) {
    case 'APPROVED':
    case 'REJECTED':
      return state.decision === step.to && state.decidedById === step.by && state.reason === step.reason;
    case 'CANCELED':
      return state.status === 'CANCELED' && state.reason === step.reason;
    case 'CONSUMED':
      return state.status === 'CONSUMED';
    default:
      return step satisfies never;
  }
}

/** The status as it stood at an instant, that instant included; null before there was one. */
export function statusAsOf(state: ElicitationState, instant: Date): ElicitationStatus | null {
  const { status, decision, createdAt, expiresAt, decidedAt, consumedAt, canceledAt } = state;
  const by = (at: Date | null): boolean => at !== null && at <= instant;
  if (!by(createdAt)) return null;
  if (by(consumedAt)) return 'CONSUMED';
  if (by(decidedAt)) return decision;
  if (by(canceledAt)) return 'CANCELED';
  return status === 'EXPIRED' && by(expiresAt) ? 'EXPIRED' : 'PENDING';
}
