import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoom, type Room } from './room.js';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterAll(() => room?.close());

/** What a payload shows without a read. */
const SHOWN = `elicitationId idempotencyKey message status statusAsOf(asOf: "9999-01-01T00:00:00Z") decision reason
  createdAt decidedAt expiresAt consumedAt canceledAt`;

const busy = (): Error =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

/** From the first commit on no statement gets through. */
function afterCommit() {
  let committed = false;
  return (sql: string) => {
    if (committed) return busy();
    committed = /^COMMIT/i.test(sql);
    return undefined;
  };
}

describe('a mutation after whose commit the database answers nothing', () => {
  it('shows what it has done, which is what a read shows later', async () => {
    const first = await room.ask();
    const second = await room.ask();
    const third = await room.ask();
    const [one, two, three] = [first, second, third].map(({ elicitationId }) => ({ elicitationId }));
    for (const [who, name, input] of [
      ['member', 'requestElicitation', { message: 'Now?', ttlSeconds: 60 }],
      ['member', 'approveElicitation', one],
      ['admin', 'rejectElicitation', { ...two, reason: 'No.' }],
      ['service', 'consumeElicitation', one],
      ['service', 'cancelElicitation', { ...three, reason: 'Done.' }],
    ] as const) {
      const written = await room.database.withFaults(afterCommit(), () =>
        room.change(who, name, input ?? {}, SHOWN),
      );
      const { elicitation } = await room.read('admin', { elicitationId: written.elicitationId }, SHOWN);
      expect(written, name).toEqual(elicitation);
    }
  });
});
