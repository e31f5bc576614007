import { once } from 'node:events';
import { expect, vi } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { GOOD } from './doors.js';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

export type RawSocket = Awaited<ReturnType<typeof rawSocket>>;

/** A socket that speaks the protocol by hand: what it received, in order, and how it was closed. */
export async function rawSocket(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, 'graphql-transport-ws', options);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(socket, 'open');
  const send = (message: object) => socket.send(JSON.stringify(message));
  const subscribe = (id: string, query: string, variables?: object) =>
    send({ type: 'subscribe', id, payload: { query, variables } });
  return { socket, messages, closed, send, subscribe };
}

/** A raw socket whose credential was found good. */
export async function initialised(url: string, options?: ClientOptions): Promise<RawSocket> {
  const raw = await rawSocket(url, options);
  raw.send({ type: 'connection_init', payload: { authorization: GOOD } });
  await vi.waitFor(() => expect(raw.messages).toEqual([{ type: 'connection_ack' }]), { timeout: 10_000 });
  return raw;
}
