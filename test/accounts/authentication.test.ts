import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, moveAccount, setPlan, setRole } from '../../src/accounts/actions.js';
import { authenticate, bearer } from '../../src/accounts/authenticate.js';
import { newSecret } from '../../src/accounts/secrets.js';
import { createToken } from '../../src/accounts/tokens.js';
import { DomainError } from '../../src/errors.js';
import { openTestDatabase, type TestDatabase } from '../database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const refusal = async (secret: string | undefined) => {
  const error = await authenticate(database, secret).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  throw new Error('Expected a refusal.');
};

const account = (organization?: string, role?: 'ADMIN' | 'MEMBER') =>
  createAccount(database, { name: 'Ada', organization, role });

describe('authentication', () => {
  it('reads the secret out of a bearer header', () => {
    expect(bearer(undefined)).toBeUndefined();
    expect(bearer('  ')).toBeUndefined();
    expect(bearer('Bearer tdg_abc')).toBe('tdg_abc');
    expect(bearer('bearer   tdg_abc ')).toBe('tdg_abc');
    for (const other of ['tdg_abc', 'Basic tdg_abc', 'Bearer abc', 'Bearer tdg_a tdg_b', 'Bearer']) {
      expect(bearer(other)).toBe('');
    }
  });

  it('tells who a secret speaks for, and keeps only its hash', async () => {
    const ada = await account('Acme', 'ADMIN');
    const { credential, secret } = await createToken(database, { accountId: ada.id, kind: 'PERSONAL' });
    expect(secret).toMatch(/^tdg_[\w-]{43}$/);
    expect(await authenticate(database, secret)).toEqual({
      credentialId: credential.id,
      kind: 'PERSONAL',
      accountId: ada.id,
      organizationId: ada.organizationId,
      role: 'ADMIN',
      sessionId: null,
      scopes: [],
      expiresAt: null,
    });
    const [row] = await database.prisma.$queryRaw<{ text: string }[]>`
      SELECT row_to_json(c)::text AS text FROM credential c WHERE id = ${credential.id}::uuid`;
    expect(row?.text).not.toContain(secret.slice(4));
  });

  it('refuses a missing and a malformed secret, each in its own words', async () => {
    const missing = await refusal(undefined);
    const malformed = await refusal('tdg_short');
    expect([missing.code, malformed.code]).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    expect(missing.message).not.toBe(malformed.message);
    expect((await refusal('')).message).toBe(malformed.message);
  });

  it('refuses unknown, expired and revoked secrets in the same words', async () => {
    const { id } = await account();
    const revoked = await createToken(database, { accountId: id, kind: 'PERSONAL' });
    const expired = await createToken(database, { accountId: id, kind: 'PERSONAL', ttlSeconds: 60 });
    await authenticate(database, revoked.secret);
    await authenticate(database, expired.secret);
    await database.prisma.credential.update({
      where: { id: revoked.credential.id },
      data: { revokedAt: new Date() },
    });
    await database.prisma.$executeRaw`
      UPDATE credential SET expires_at = clock_timestamp() WHERE id = ${expired.credential.id}::uuid`;
    const unknown = await refusal(newSecret());
    expect(unknown.code).toBe('UNAUTHENTICATED');
    expect(await refusal(revoked.secret)).toEqual(unknown);
    expect(await refusal(expired.secret)).toEqual(unknown);
  });

  it('ends by the database clock, whatever this process thinks', async () => {
    const { id } = await account();
    const ahead = await createToken(database, { accountId: id, kind: 'PERSONAL', ttlSeconds: 1_000 });
    await database.prisma.$executeRaw`
      UPDATE credential SET expires_at = clock_timestamp() - interval '1 millisecond'
      WHERE id = ${ahead.credential.id}::uuid`;
    expect((await refusal(ahead.secret)).code).toBe('UNAUTHENTICATED');
    await database.prisma.$executeRaw`
      UPDATE credential SET expires_at = clock_timestamp() + interval '1 minute'
      WHERE id = ${ahead.credential.id}::uuid`;
    expect((await authenticate(database, ahead.secret)).accountId).toBe(id);
  });

  it('asks for another plan when the account or its organisation has no API access', async () => {
    const ada = await account('Plans');
    const { secret } = await createToken(database, { accountId: ada.id, kind: 'PERSONAL' });
    await setPlan(database, { accountId: ada.id, apiAccess: false });
    expect((await refusal(secret)).code).toBe('PLAN_UPGRADE_REQUIRED');
    await setPlan(database, { accountId: ada.id, apiAccess: true });
    await setPlan(database, { organization: 'Plans', apiAccess: false });
    expect((await refusal(secret)).code).toBe('PLAN_UPGRADE_REQUIRED');
    await setPlan(database, { organization: 'Plans', apiAccess: true });
    expect((await authenticate(database, secret)).accountId).toBe(ada.id);
  });

  it('ends a SERVICE credential when its account leaves, and coming back does not revive it', async () => {
    const ada = await account('Leavers', 'ADMIN');
    const { secret } = await createToken(database, { accountId: ada.id, kind: 'SERVICE' });
    expect((await authenticate(database, secret)).organizationId).toBe(ada.organizationId);
    await moveAccount(database, { accountId: ada.id });
    expect((await refusal(secret)).code).toBe('UNAUTHENTICATED');
    await moveAccount(database, { accountId: ada.id, organization: 'Leavers', role: 'ADMIN' });
    expect((await refusal(secret)).code).toBe('UNAUTHENTICATED');
  });

  it('serves no SERVICE credential for an organisation that its account is not in, however that came', async () => {
    const ada = await account('Here', 'ADMIN');
    const { secret } = await createToken(database, { accountId: ada.id, kind: 'SERVICE' });
    const { organizationId } = await account('There');
    await database.prisma.account.update({ where: { id: ada.id }, data: { organizationId } });
    expect((await refusal(secret)).code).toBe('UNAUTHENTICATED');
    await database.prisma.account.update({
      where: { id: ada.id },
      data: { organizationId: ada.organizationId },
    });
    expect((await authenticate(database, secret)).organizationId).toBe(ada.organizationId);
  });

  it('serves a SERVICE credential that the operator issued to a member', async () => {
    const mel = await account('Members', 'MEMBER');
    const { secret } = await createToken(database, { accountId: mel.id, kind: 'SERVICE' });
    expect((await authenticate(database, secret)).role).toBe('MEMBER');
  });

  it('ends a SERVICE credential when its account is no admin any more', async () => {
    const ada = await account('Demoted', 'ADMIN');
    const service = await createToken(database, { accountId: ada.id, kind: 'SERVICE' });
    const personal = await createToken(database, { accountId: ada.id, kind: 'PERSONAL' });
    await setRole(database, { accountId: ada.id, role: 'MEMBER' });
    expect((await refusal(service.secret)).code).toBe('UNAUTHENTICATED');
    expect((await authenticate(database, personal.secret)).role).toBe('MEMBER');
  });

  it('ends the SERVICE credential of an account without organisation when it joins one', async () => {
    const ada = await account();
    const service = await createToken(database, { accountId: ada.id, kind: 'SERVICE' });
    const personal = await createToken(database, { accountId: ada.id, kind: 'PERSONAL' });
    expect((await authenticate(database, service.secret)).organizationId).toBeNull();
    const moved = await moveAccount(database, { accountId: ada.id, organization: 'Joined' });
    expect((await refusal(service.secret)).code).toBe('UNAUTHENTICATED');
    expect((await authenticate(database, personal.secret)).organizationId).toBe(moved.organizationId);
  });
});
