import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '../../src/accounts/access-log.js';
import { createAccount, moveAccount, setPlan, setRole } from '../../src/accounts/actions.js';
import { authenticate } from '../../src/accounts/authenticate.js';
import { hashSecret } from '../../src/accounts/secrets.js';
import { listTokens } from '../../src/accounts/token-list.js';
import { createToken, revokeToken } from '../../src/accounts/tokens.js';
import { openTestDatabase, type TestDatabase } from '../database.js';
import { type Graph, graphOver } from '../graph.js';

let database: TestDatabase;
let graph: Graph;
beforeAll(async () => {
  database = await openTestDatabase();
  graph = graphOver(database);
});
afterAll(() => database.close());

/** What was written down about an account, the first first. */
const changesOf = async (accountId: string) =>
  (await listChanges(database, { accountId })).rows
    .toReversed()
    .map(({ kind, credentialId, byAccountId, details }) => ({ kind, credentialId, byAccountId, details }));

const ISSUE =
  'mutation ($input: IssueCredentialInput!) { issueCredential(input: $input) { secret credential { credentialId } } }';
const REVOKE =
  'mutation ($input: RevokeCredentialInput!) { revokeCredential(input: $input) { credential { revokedAt } } }';

describe('the log of access changes', () => {
  it('has what the operator did: account, credential, role, place and plan', async () => {
    const { id } = await createAccount(database, { name: 'Ada', organization: 'Logged' });
    const { credential } = await createToken(database, { accountId: id, kind: 'SERVICE', ttlSeconds: 60 });
    const second = await createToken(database, { accountId: id, kind: 'PERSONAL', name: 'laptop' });
    await setRole(database, { accountId: id, role: 'MEMBER' });
    await setRole(database, { accountId: id, role: 'MEMBER' });
    await setPlan(database, { accountId: id, apiAccess: false });
    const { organizationId } = await moveAccount(database, { accountId: id, organization: 'Logged too' });
    await revokeToken(database, { credentialId: second.credential.id });
    await revokeToken(database, { credentialId: second.credential.id });
    const operator = { byAccountId: null };
    expect(await changesOf(id)).toMatchObject([
      { ...operator, kind: 'ACCOUNT_CREATED', credentialId: null, details: { role: 'ADMIN' } },
      {
        ...operator,
        kind: 'CREDENTIAL_ISSUED',
        credentialId: credential.id,
        details: { kind: 'SERVICE', scopes: [], sessionId: null, expiresAt: expect.any(String) },
      },
      { ...operator, kind: 'CREDENTIAL_ISSUED', details: { kind: 'PERSONAL', expiresAt: null } },
      { ...operator, kind: 'ROLE_CHANGED', details: { fromRole: 'ADMIN', role: 'MEMBER' } },
      {
        ...operator,
        kind: 'CREDENTIAL_REVOKED',
        credentialId: credential.id,
        details: { cause: 'account demoted' },
      },
      { ...operator, kind: 'PLAN_CHANGED', details: { apiAccess: false } },
      { ...operator, kind: 'ACCOUNT_MOVED', details: { fromRole: 'MEMBER', role: 'ADMIN' } },
      {
        ...operator,
        kind: 'CREDENTIAL_REVOKED',
        credentialId: second.credential.id,
        details: { cause: 'asked for' },
      },
    ]);
    const [moved] = (await listChanges(database, { organization: 'Logged too', limit: 1 })).rows;
    expect(moved).toMatchObject({ organizationId, kind: 'CREDENTIAL_REVOKED' });
    await setPlan(database, { organization: 'Logged too', apiAccess: false });
    const [plan] = (await listChanges(database, { organization: 'Logged too' })).rows;
    expect(plan).toMatchObject({ kind: 'PLAN_CHANGED', accountId: null, details: { apiAccess: false } });
  });

  it('has who issued and revoked over the API', async () => {
    const { id } = await createAccount(database, { name: 'Bob' });
    const { secret, credential } = await createToken(database, { accountId: id, kind: 'PERSONAL' });
    const { issueCredential } = await graph.read(secret, ISSUE, { input: { kind: 'PERSONAL' } });
    const issued = issueCredential as { secret: string; credential: { credentialId: string } };
    const { credentialId } = issued.credential;
    await graph.read(secret, REVOKE, { input: { credentialId } });
    await graph.read(secret, REVOKE, { input: { credentialId } });
    const [revoked, given] = (await listChanges(database, { accountId: id })).rows;
    const by = { byCredentialId: credential.id, byAccountId: id, accountId: id, credentialId };
    expect(given).toMatchObject({ ...by, kind: 'CREDENTIAL_ISSUED', details: { kind: 'PERSONAL' } });
    expect(revoked).toMatchObject({ ...by, kind: 'CREDENTIAL_REVOKED', details: { cause: 'asked for' } });
    const [text] = await database.prisma.$queryRaw<{ all: string }[]>`
      SELECT string_agg(a::text, ' ') AS all FROM access_change a`;
    for (const hidden of [secret, issued.secret, hashSecret(secret).toString('hex'), 'laptop']) {
      expect(text?.all).not.toContain(hidden);
    }
  });

  it('has nothing of what was undone, and undoes what it cannot note', async () => {
    const { id } = await createAccount(database, { name: 'Cy' });
    const { secret, credential } = await createToken(database, { accountId: id, kind: 'PERSONAL' });
    const before = await changesOf(id);
    const fault = (sql: string) => (sql.includes('access_change') ? new Error('no room') : undefined);
    await expect(
      database.withFaults(fault, () => revokeToken(database, { credentialId: credential.id })),
    ).rejects.toThrow();
    expect((await authenticate(database, secret)).accountId).toBe(id);
    expect(await changesOf(id)).toEqual(before);
  });

  it('is read by pages, the last first', async () => {
    const { id } = await createAccount(database, { name: 'Di' });
    for (let index = 0; index < 4; index++) await createToken(database, { accountId: id, kind: 'PERSONAL' });
    const all = (await listChanges(database, { accountId: id })).rows;
    const walked: (typeof all)[number][] = [];
    let before: number | null | undefined;
    do {
      const page = await listChanges(database, { accountId: id, limit: 2, before: before ?? undefined });
      walked.push(...page.rows);
      before = page.before;
    } while (before !== null);
    expect(walked).toEqual(all);
    expect(walked).toHaveLength(5);
    await expect(listChanges(database, { limit: 1_001 })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(listChanges(database, { organization: 'Nowhere' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the list of credentials for the operator', () => {
  it("shows an account's or an organisation's by pages, without what is secret", async () => {
    const ada = await createAccount(database, { name: 'Ada', organization: 'Listed' });
    const bob = await createAccount(database, { name: 'Bob', organization: 'Listed' });
    const issued = [];
    for (const { id } of [ada, bob, bob]) {
      issued.unshift((await createToken(database, { accountId: id, kind: 'PERSONAL' })).credential.id);
    }
    const idsOf = async (input: Parameters<typeof listTokens>[1]) => {
      const { rows: credentials, before } = await listTokens(database, input);
      expect(JSON.stringify(credentials.map(({ number: _, ...row }) => row))).not.toContain('ash');
      return { ids: credentials.map(({ id }) => id), before };
    };
    expect(await idsOf({ organization: 'Listed' })).toEqual({ ids: issued, before: null });
    expect(await idsOf({ accountId: bob.id })).toEqual({ ids: issued.slice(0, 2), before: null });
    const first = await idsOf({ accountId: bob.id, limit: 1 });
    expect(first.ids).toEqual(issued.slice(0, 1));
    const next = await idsOf({ accountId: bob.id, limit: 1, before: first.before ?? undefined });
    expect(next).toEqual({ ids: issued.slice(1, 2), before: null });
    await expect(listTokens(database, { accountId: 'x' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('revokes by id, and knows none that is not there', async () => {
    const { id } = await createAccount(database, { name: 'Eve' });
    const { secret, credential } = await createToken(database, { accountId: id, kind: 'PERSONAL' });
    const first = await revokeToken(database, { credentialId: credential.id });
    expect(await revokeToken(database, { credentialId: credential.id })).toEqual(first);
    await expect(authenticate(database, secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const unknown = { credentialId: '00000000-0000-4000-8000-000000000000' };
    await expect(revokeToken(database, unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
