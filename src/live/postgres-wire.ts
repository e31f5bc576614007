import { Socket } from 'node:net';
import { Client } from 'pg';
import type { OpenWire } from './wire.js';

/** What one NOTIFY may carry. */
export const POSTGRES_MAX_BYTES = 7_999;

const CHANNEL = 'tidings_hints';
const SEND = `SELECT pg_notify('${CHANNEL}', message) FROM unnest($1::text[]) AS message`;

/**
 * NOTIFY, over a connection of its own: it neither waits for one of the pool nor takes one, and its transactions hold nobody else's.
 * They lose nothing but hints in a crash, so they do not wait for the disk.
 */
export function postgresWire(connectionString: string): OpenWire {
  return ({ text, lost }) => {
    // One that can be destroyed: pg itself waits for an answer of a server that may be gone.
    const socket = new Socket();
    const client = new Client({
      connectionString,
      stream: () => socket,
      application_name: 'tidings bus',
      keepAlive: true,
    });
    client.on('notification', ({ payload = '' }) => text(payload));
    client.on('error', lost);
    client.on('end', () => lost(new Error('The connection ended.')));
    const listen = async () => {
      await client.connect();
      await client.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
    };
    return {
      ready: listen(),
      send: async (texts) => {
        await client.query(SEND, [texts]);
      },
      close: () => client.end(),
      cut: () => socket.destroy(),
    };
  };
}
