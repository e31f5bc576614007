import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT: '5/60/60' } });
});
afterAll(() => gateway.close());

it('what a runtime ingests does not count for its address, and what others try to does', async () => {
  const admin = await gateway.createOrganization().createAccount({ role: 'ADMIN' });
  const { sessionId } = await admin.createSession();
  const service = await admin.createToken({ kind: 'SERVICE' });
  const person = await admin.createToken();
  const ingest = async (token: string) => {
    const response = await fetch(`${gateway.url}/ingest/${sessionId}?format=tidings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '',
    });
    await response.text();
    return response.status;
  };
  const statuses: number[] = [];
  for (let time = 0; time < 8; time++) statuses.push(await ingest(service));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect([await ingest(person), await ingest(person)]).toEqual([403, 403]);
  const unknown = `tdg_${'a'.repeat(43)}`;
  expect([await ingest(unknown), await ingest(unknown), await ingest(unknown)]).toEqual([401, 401, 401]);
  expect(await ingest(unknown)).toBe(429);
  // Blocked is blocked: nothing is looked up any more.
  const statements = await gateway.countStatements(async () => {
    expect([await ingest(person), await ingest(service), await ingest(unknown)]).toEqual([429, 429, 429]);
  });
  expect(statements).toBe(0);
});
