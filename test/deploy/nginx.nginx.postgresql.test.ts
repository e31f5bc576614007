import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../src/gateway.js';
import { openReplica } from '../authority/house.js';
import { followBy, TRANSPORTS, take } from '../client/house.js';
import { activity, type House, openHouse } from '../events/house.js';
import { beginUpload } from '../http/uploads.js';
import { eventually } from '../subscriptions/eventually.js';
import { named } from '../subscriptions/streams.js';
import { startNginx } from './nginx.js';

let house: House;
let replica: Gateway;
let nginx: Awaited<ReturnType<typeof startNginx>>;
beforeAll(async () => {
  house = await openHouse({ recheckPace: 100 });
  replica = await openReplica(house, 3_600_000);
  nginx = await startNginx([house.url, replica.url].map((url) => Number(new URL(url).port)));
});
afterAll(async () => {
  await nginx.close();
  await replica.close();
  await house.close();
});

describe('two gateways behind nginx, as it is delivered', () => {
  it.each(TRANSPORTS)('tell a client of each event as it comes, by %s', async (transport) => {
    const sessionId = await house.newSession(3);
    const { following } = followBy(transport, {
      url: nginx.url,
      token: house.tokens.member,
      variables: { sessionId },
    });
    expect(await take(following, 3)).toEqual(named(1, 3));
    // Each is taken before the next is written: what a proxy held back would never come.
    for (let event = 4; event <= 8; event++) {
      await house.append(sessionId, [activity(`e${event}`)]);
      expect(await take(following, 1)).toEqual([`e${event}`]);
    }
    await following.return();
  });

  it('share the clients', async () => {
    const sessionId = await house.newSession(1);
    const clients = Array.from({ length: 8 }, () =>
      followBy('ws', { url: nginx.url, token: house.tokens.member, variables: { sessionId } }),
    );
    await Promise.all(clients.map(({ following }) => take(following, 1)));
    expect(house.watched()).toBeGreaterThan(0);
    expect(replica.watched()).toBeGreaterThan(0);
    await Promise.all(clients.map(({ following }) => following.return()));
  });

  it('take a raw stream in while it is still being written', async () => {
    const sessionId = await house.newSession();
    const upload = beginUpload({ ...house, url: nginx.url }, sessionId, { format: 'tidings' });
    upload.send(activity('e1'));
    const { following } = followBy('ws', {
      url: house.url,
      token: house.tokens.member,
      variables: { sessionId },
    });
    expect(await take(following, 1)).toEqual(['e1']);
    await following.return();
    upload.upload.end();
    expect((await upload.answer).body.accepted).toBe(1);
  });

  it('keep their metrics to those inside, and refuse what is too large in their own words', async () => {
    expect((await fetch(`${nginx.url}/metrics`)).status).toBe(404);
    expect((await fetch(`${house.url}/metrics`)).status).toBe(200);
    const response = await fetch(`${nginx.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${house.tokens.member}` },
      body: JSON.stringify({ query: '{ viewer { role } }', variables: { pad: 'x'.repeat(8 * 1024 * 1024) } }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] },
    ]);
  });

  it('leave their clients to each other: one stops, and nobody misses anything', async () => {
    const sessionId = await house.newSession();
    const clients = [...TRANSPORTS, ...TRANSPORTS, ...TRANSPORTS].map((transport) =>
      followBy(transport, { url: nginx.url, token: house.tokens.member, variables: { sessionId } }),
    );
    const told = clients.map(({ following }) => take(following, 60));
    for (let event = 1; event <= 60; event++) {
      await house.append(sessionId, [activity(`e${event}`)]);
      if (event === 20) {
        await eventually(() => expect(replica.watched()).toBeGreaterThan(0));
        await replica.close();
      }
    }
    expect(await Promise.all(told)).toEqual(clients.map(() => named(1, 60)));
    expect(clients.flatMap(({ waits }) => waits()).length).toBeGreaterThan(0);
    await Promise.all(clients.map(({ following }) => following.return()));
  });
});
