import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDoors, steady, type TestDoors } from './doors.js';
import { initialised, rawSocket } from './raw-socket.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close());

const MB = 1024 * 1024;
const SILENT = 'subscription { count(to: 0, stays: true) { number } }';
const patiently = { timeout: 40_000 };

/** Bytes of a ping's payload. */
const ping = (bytes: number) => ({ type: 'ping', payload: { padding: 'x'.repeat(bytes) } });

describe('before its credential was found good, a WebSocket may send a few kilobytes', () => {
  it('in one message', async () => {
    const { closed, send, messages } = await rawSocket(doors.socket);
    send(ping(3.9 * MB));
    expect(await closed).toEqual({ code: 1009, reason: 'Expected connection_init in 8192 bytes' });
    expect(messages).toEqual([]);
  });

  it('in many', async () => {
    const { closed, send, messages } = await rawSocket(doors.socket);
    for (let sent = 0; sent < 1_000; sent++) send(ping(1_000));
    expect((await closed).code).toBe(1009);
    // What had come with the byte too many.
    expect(messages.length).toBeLessThan(200);
  });

  it('in a message that never ends', async () => {
    const { closed, socket } = await rawSocket(doors.socket);
    for (let sent = 0; sent < 100; sent++) socket.send('x'.repeat(1_000), { fin: false });
    expect((await closed).code).toBe(1009);
  });

  it('and as much as it likes afterwards', async () => {
    const { send, messages, socket } = await initialised(doors.socket);
    for (let sent = 0; sent < 3; sent++) send(ping(3.9 * MB));
    await vi.waitFor(() => expect(messages).toHaveLength(4), patiently);
    socket.close();
  });
});

describe('of a WebSocket that does not read what it asked for', () => {
  it('no more pings are read', async () => {
    const { socket, send, subscribe, messages } = await initialised(doors.socket);
    const before = doors.streams.padded;
    socket.pause();
    for (let sent = 1; sent <= 300; sent++) {
      send(ping(100_000));
      // Its answer is small, and counted: so far the server has read.
      if (sent % 10 === 0) subscribe(String(sent), '{ padded(bytes: 1) }');
    }
    await steady(() => doors.streams.padded);
    expect(doors.streams.padded - before).toBeLessThan(25);
    socket.resume();
    await vi.waitFor(() => expect(messages).toHaveLength(361), patiently);
    expect(messages.filter(({ type }) => type === 'pong')).toHaveLength(300);
    socket.close();
  });

  it('no more queries are answered', async () => {
    const { socket, subscribe, messages } = await initialised(doors.socket);
    const before = doors.streams.padded;
    socket.pause();
    const padding = 'x'.repeat(100_000);
    for (let id = 0; id < 120; id++) subscribe(String(id), `{ padded(bytes: ${MB / 2}) }`, { padding });
    await steady(() => doors.streams.padded);
    expect(doors.streams.padded - before).toBeLessThan(60);
    socket.resume();
    await vi.waitFor(() => expect(messages).toHaveLength(241), patiently);
    expect(messages.filter(({ type }) => type === 'next')).toHaveLength(120);
    socket.close();
  });

  it('ping frames end the connection', async () => {
    const { socket, closed } = await initialised(doors.socket);
    socket.pause();
    for (let sent = 0; sent < 100_000; sent++) socket.ping('x'.repeat(125));
    await steady(() => socket.bufferedAmount);
    socket.resume();
    expect((await closed).code).toBe(1006);
  });
});

describe('operations under way on a WebSocket', () => {
  it('are at most a hundred', async () => {
    const { socket, subscribe, send, messages } = await initialised(doors.socket);
    for (let id = 1; id <= 101; id++) subscribe(String(id), SILENT);
    await vi.waitFor(() => expect(messages).toHaveLength(2), patiently);
    expect(messages[1]).toMatchObject({
      type: 'error',
      id: '101',
      payload: [{ extensions: { code: 'BAD_USER_INPUT', maximum: 100 } }],
    });
    await vi.waitFor(() => expect(doors.streams.open).toBe(100), patiently);
    send({ type: 'complete', id: '1' });
    await vi.waitFor(() => expect(doors.streams.open).toBe(99), patiently);
    subscribe('102', 'subscription { count(to: 1) { number } }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '102' }), patiently);
    socket.close();
    await vi.waitFor(() => expect(doors.streams.open).toBe(0), patiently);
  });

  it('have messages of at most twice the largest together', async () => {
    const { socket, subscribe, messages } = await initialised(doors.socket);
    const padding = 'x'.repeat(3 * MB);
    for (const id of ['1', '2', '3']) subscribe(id, SILENT, { padding });
    await vi.waitFor(() => expect(messages).toHaveLength(2), patiently);
    expect(messages[1]).toMatchObject({ type: 'error', id: '3' });
    expect(doors.streams.open).toBe(2);
    socket.close();
    await vi.waitFor(() => expect(doors.streams.open).toBe(0), patiently);
  });
});

describe('subscriptions on a WebSocket', () => {
  it('may be fewer than operations', async () => {
    const few = await openDoors({
      env: { TIDINGS_SOCKET_SUBSCRIPTIONS: '2', TIDINGS_SOCKET_OPERATIONS: '5' },
    });
    const { socket, subscribe, send, messages } = await initialised(few.socket);
    for (const id of ['1', '2', '3']) subscribe(id, SILENT);
    await vi.waitFor(() => expect(messages).toHaveLength(2), patiently);
    expect(messages[1]).toMatchObject({
      type: 'error',
      id: '3',
      payload: [{ extensions: { code: 'BAD_USER_INPUT', maximum: 2 } }],
    });
    subscribe('4', '{ hello }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '4' }), patiently);
    await vi.waitFor(() => expect(few.streams.open).toBe(2), patiently);
    send({ type: 'complete', id: '1' });
    await vi.waitFor(() => expect(few.streams.open).toBe(1), patiently);
    subscribe('5', 'subscription { count(to: 1) { number } }');
    await vi.waitFor(() => expect(messages.at(-1)).toEqual({ type: 'complete', id: '5' }), patiently);
    socket.close();
    await vi.waitFor(() => expect(few.streams.open).toBe(0), patiently);
    await few.close();
  });
});
