import { describe, expect, it } from 'vitest';
import { mayWrite } from '../../src/accounts/ownership.js';
import type { Viewer } from '../../src/accounts/viewer.js';

const viewer = (kind: Viewer['kind'], organizationId: string | null, role: Viewer['role']): Viewer => ({
  credentialId: 'credential',
  kind,
  accountId: 'me',
  organizationId,
  role,
  sessionId: kind === 'RUN' ? 'session' : null,
  scopes: [],
  expiresAt: null,
});

/** Sessions: mine and another's, in my organisation, in another one and in none. */
const SESSIONS = {
  mineHere: { ownerId: 'me', organizationId: 'acme' },
  mineElsewhere: { ownerId: 'me', organizationId: 'other' },
  mineAlone: { ownerId: 'me', organizationId: null },
  theirsHere: { ownerId: 'them', organizationId: 'acme' },
  theirsElsewhere: { ownerId: 'them', organizationId: 'other' },
  theirsAlone: { ownerId: 'them', organizationId: null },
};

const writable = (who: Viewer) =>
  Object.entries(SESSIONS)
    .filter(([, session]) => mayWrite(who, session))
    .map(([name]) => name);

describe('writing to a session', () => {
  it("is for its owner, wherever it was made, and for no admin of the owner's", () => {
    const mine = ['mineHere', 'mineElsewhere', 'mineAlone'];
    expect(writable(viewer('PERSONAL', 'acme', 'ADMIN'))).toEqual(mine);
    expect(writable(viewer('PERSONAL', 'acme', 'MEMBER'))).toEqual(mine);
    expect(writable(viewer('PERSONAL', null, null))).toEqual(mine);
  });

  it('is for a runtime in its organisation or, without one, in its account', () => {
    expect(writable(viewer('SERVICE', 'acme', 'ADMIN'))).toEqual(['mineHere', 'theirsHere']);
    expect(writable(viewer('SERVICE', null, null))).toEqual(['mineHere', 'mineElsewhere', 'mineAlone']);
  });

  it('is not for RUN credentials', () => {
    expect(writable(viewer('RUN', 'acme', 'ADMIN'))).toEqual([]);
    expect(writable(viewer('RUN', null, null))).toEqual([]);
  });
});
