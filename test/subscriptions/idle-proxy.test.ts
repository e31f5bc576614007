import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { activity, type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { openRawSocket } from './raw-socket.js';
import { SESSION_EVENTS } from './streams.js';

/** 60 s and 12 s, sixty times as fast. */
const CUT = 1_000;
const HEARTBEAT = 200;

let house: House;
beforeAll(async () => {
  house = await openHouse({ webSockets: { heartbeat: HEARTBEAT } });
});
afterAll(() => house.close());

it('an idle socket stays open behind a proxy that cuts silent connections (case 31)', async () => {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(house.url).port), '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    // The client says nothing by itself.
    server.setTimeout(CUT, () => client.destroy());
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const sessionId = await house.newSession();
  const { socket, messages, subscribe } = await openRawSocket(
    `http://127.0.0.1:${port}`,
    house.tokens.member,
  );
  let pings = 0;
  socket.on('ping', () => {
    pings += 1;
  });
  subscribe(SESSION_EVENTS, { sessionId });
  await eventually(() => expect(pings).toBeGreaterThan((3 * CUT) / HEARTBEAT));
  await house.append(sessionId, [activity('e1')]);
  await eventually(() => expect(messages).toHaveLength(2));
  socket.close();
  await once(socket, 'close');
  for (const open of sockets) open.destroy();
  proxy.close();
});
