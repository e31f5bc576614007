import { once } from 'node:events';
import { expect } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { eventually } from './eventually.js';
import type { Result } from './streams.js';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: Result;
}

/** A socket that speaks graphql-transport-ws by hand, its credential found good: to stop reading, to vanish, to break off. */
export async function openRawSocket(url: string, token: string, options: ClientOptions = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', options);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code]): unknown => code);
  await once(socket, 'open');
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  await eventually(() => expect(messages.shift()).toEqual({ type: 'connection_ack' }));
  return {
    socket,
    /** What came since the socket was acknowledged, in order. */
    messages,
    /** The code that the socket was closed with. */
    closed,
    send,
    subscribe: (query: string, variables: object, id = '1') =>
      send({ type: 'subscribe', id, payload: { query, variables } }),
  };
}
