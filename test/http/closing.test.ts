import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { openDoors } from './doors.js';

it('lets answers that are under way finish, and refuses what is new', async () => {
  const doors = await openDoors();
  const answer = doors.post('{ waits }');
  await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1));
  const closing = doors.close();
  await expect(fetch(`${doors.url}/health`)).rejects.toThrow();
  doors.streams.waiting[0]?.();
  expect((await answer).body).toEqual({ data: { waits: 'done' } });
  await closing;
});

it('says that it is going down to who asks on a connection that is still open', async () => {
  const doors = await openDoors();
  const socket = connect(Number(new URL(doors.url).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  const ask = (query: string) => {
    const body = JSON.stringify({ query });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tdg_good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  };
  ask('{ waits }');
  await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1));
  const closing = doors.close();
  // Pipelined behind the one that keeps the connection open.
  ask('{ hello }');
  doors.streams.waiting[0]?.();
  await vi.waitFor(() => expect(received).toContain('503'));
  expect(received).toContain('"waits":"done"');
  expect(received).toContain('SHUTTING_DOWN');
  expect(received).toContain('retry-after');
  await closing;
});
