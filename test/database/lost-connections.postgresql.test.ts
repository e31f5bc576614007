import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../events/house.js';
import { eventually } from '../subscriptions/eventually.js';

let house: House;
let sessionId: string;
beforeAll(async () => {
  house = await openHouse();
  sessionId = await house.newSession(3);
});
afterAll(() => house.close());

const READ =
  'query ($id: ID!) { session(sessionId: $id) { events { totalCount } } viewer { account { name } } }';
const WRITE = 'mutation ($i: SendMessageInput!) { sendMessage(input: $i) { edge { cursor } } }';

describe('a connection to PostgreSQL that is lost', () => {
  it.each([
    ['read', READ, () => ({ id: sessionId })],
    ['write', WRITE, () => ({ i: { sessionId, messageId: 'm1', text: 'Hello' } })],
  ])(
    'is a TIMEOUT for the %s that was under way, and the next one works',
    async (_name, document, variables) => {
      const logged = house.logged.length;
      const ask = () => house.request(document, { token: house.tokens.member, variables: variables() });
      const blocker = new Client({ connectionString: house.database.url });
      await blocker.connect();
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE session, account, event IN ACCESS EXCLUSIVE MODE');
      const reply = ask();
      await eventually(async () => {
        const { rows } = await blocker.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows).not.toEqual([]);
      });
      await blocker.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await blocker.query('ROLLBACK');
      await blocker.end();
      const { body } = await reply;
      expect(body.errors?.map(({ extensions }) => extensions)).toContainEqual({
        code: 'TIMEOUT',
        retry: 'UNCHANGED',
      });
      for (const { message } of body.errors ?? [])
        expect(message).toMatch(/connection to the database was lost/);
      // The bus has a connection too, and says that it comes back.
      const ofRequests = house.logged.slice(logged).filter((line) => !line.includes('connection of the bus'));
      expect(ofRequests).toEqual([]);
      expect((await ask()).body.errors).toBeUndefined();
    },
  );
});
