import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDoors, type TestDoors } from './doors.js';
import { initialised } from './raw-socket.js';

let doors: TestDoors;
beforeEach(async () => {
  doors = await openDoors();
});
// Ends only when nothing of any subscription is left.
afterEach(() => doors.close());

const STAYS = 'subscription { count(to: 1, stays: true) { number } }';
const patiently = { timeout: 20_000 };

describe('an operation whose id was completed a moment ago', () => {
  it('runs, is shown to its client and is let go with the socket, however often that was', async () => {
    const { socket, subscribe, send, messages } = await initialised(doors.socket);
    for (let round = 0; round < 300; round++) {
      subscribe('1', STAYS);
      send({ type: 'complete', id: '1' });
    }
    subscribe('1', STAYS);
    // Behind all of them.
    subscribe('2', '{ hello }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '2' }), patiently);
    await vi.waitFor(() => expect(doors.streams.open).toBe(1), patiently);
    expect(messages.filter(({ type, id }) => type === 'complete' && id === '1')).toEqual([]);
    socket.close();
    await vi.waitFor(() => expect(doors.streams.open).toBe(0), patiently);
  });

  it('runs when the earlier one, which had not begun, is over', async () => {
    const { subscribe, send, messages } = await initialised(doors.socket);
    subscribe('1', 'subscription { late }');
    await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1), patiently);
    send({ type: 'complete', id: '1' });
    subscribe('1', STAYS);
    subscribe('2', '{ hello }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '2' }), patiently);
    expect(doors.streams.open).toBe(0);
    doors.streams.waiting[0]?.();
    await vi.waitFor(
      () =>
        expect(messages.at(-1)).toMatchObject({ type: 'next', id: '1', payload: { data: { count: {} } } }),
      patiently,
    );
  });

  it('never runs if it was completed too', async () => {
    const { subscribe, send, messages } = await initialised(doors.socket);
    subscribe('1', '{ waits }');
    await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1), patiently);
    send({ type: 'complete', id: '1' });
    subscribe('1', STAYS);
    send({ type: 'complete', id: '1' });
    subscribe('1', '{ hello }');
    // The first has ended with its client's interest in it.
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '1' }), patiently);
    doors.streams.waiting[0]?.();
    expect(messages.slice(1)).toMatchObject([
      { type: 'next', payload: { data: { hello: 'Hello you' } } },
      { type: 'complete' },
    ]);
    expect(doors.streams.pulled).toBe(0);
  });

  it('still has that id for itself', async () => {
    const { subscribe, send, closed } = await initialised(doors.socket);
    subscribe('1', '{ waits }');
    send({ type: 'complete', id: '1' });
    subscribe('1', STAYS);
    subscribe('1', STAYS);
    expect((await closed).code).toBe(4409);
    doors.streams.waiting[0]?.();
  });
});
