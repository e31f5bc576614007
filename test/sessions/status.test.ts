import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LifecycleEvent, statusAfter } from '../../src/sessions/state.js';

const EMPTY = { status: 'COMPLETED', eventHead: 0 } as const;

const DECIDING: readonly (readonly [LifecycleEvent, string])[] = [
  [{ kind: 'user_message' }, 'PROCESSING'],
  [{ kind: 'session_resumed' }, 'PROCESSING'],
  [{ kind: 'activity', status: 'STARTED' }, 'PROCESSING'],
  [{ kind: 'session_idle' }, 'COMPLETED'],
  [{ kind: 'session_stopped' }, 'COMPLETED'],
  [{ kind: 'session_paused' }, 'PAUSED_FOR_INSUFFICIENT_QUOTA'],
  [{ kind: 'error' }, 'FAILED'],
];
const SILENT: readonly LifecycleEvent[] = [
  { kind: 'agent_message' },
  { kind: 'methods' },
  { kind: 'question' },
  { kind: 'activity', status: 'COMPLETED' },
  { kind: 'activity', status: 'FAILED' },
  { kind: 'artifacts_delivered' },
  { kind: 'delivered_outputs' },
  { kind: 'stop_requested' },
  { kind: 'unknown' },
];

const silent = fc.constantFrom(...SILENT);
const anyEvent = fc.constantFrom(...SILENT, ...DECIDING.map(([event]) => event));

describe("a session's status", () => {
  it('is COMPLETED before any event', () => {
    expect(statusAfter(EMPTY, [])).toBe('COMPLETED');
  });

  it('is what the last event that decides says, whatever came before and whatever silent ones follow', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent),
        fc.constantFrom(...DECIDING),
        fc.array(silent),
        (before, [event, status], after) => {
          expect(statusAfter(EMPTY, [...before, event, ...after])).toBe(status);
        },
      ),
    );
  });

  it('is UNKNOWN while no event decides', () => {
    fc.assert(
      fc.property(fc.array(silent, { minLength: 1 }), (events) => {
        expect(statusAfter(EMPTY, events)).toBe('UNKNOWN');
      }),
    );
  });

  it('is the same whether events come in one call or in many', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyEvent, { minLength: 1 })), (calls) => {
        const inParts = calls.reduce(
          ({ status, eventHead }, events) => ({
            status: statusAfter({ status, eventHead }, events),
            eventHead: eventHead + events.length,
          }),
          EMPTY as Parameters<typeof statusAfter>[0],
        );
        expect(inParts.status).toBe(statusAfter(EMPTY, calls.flat()));
      }),
    );
  });
});
