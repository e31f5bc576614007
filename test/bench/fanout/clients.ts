/** Many subscribers, each on a socket of its own, that count events and do nothing else. */
import { WebSocket } from 'ws';
import type { ClientsOrder, ClientsReport } from './messages.js';

const MARK = Buffer.from('"eventId":"n');
let events = 0;
let told = 0;

const report = (what: ClientsReport['what']) => process.send?.({ what, events } satisfies ClientsReport);
setInterval(() => {
  if (events === told) return;
  told = events;
  report('came');
}, 5);

function count(data: Buffer): void {
  for (let at = data.indexOf(MARK); at >= 0; at = data.indexOf(MARK, at + MARK.length)) events += 1;
}

/** Resolves when the server has answered the subscription, or cannot be expected to. */
const open = ({ url, token, query }: ClientsOrder) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false });
    let isOpen = false;
    socket.on('error', reject);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
    );
    socket.on('message', (data: Buffer) => {
      count(data);
      if (isOpen) return;
      isOpen = true;
      socket.send(JSON.stringify({ id: 'a5c3d1f0', type: 'subscribe', payload: { query } }));
      resolve();
    });
  });

process.on('message', async (order: ClientsOrder) => {
  for (let begun = 0; begun < order.subscribers; begun += 50) {
    await Promise.all(Array.from({ length: Math.min(50, order.subscribers - begun) }, () => open(order)));
  }
  setTimeout(() => report('ready'), 1_000);
});
process.on('disconnect', () => process.exit());
