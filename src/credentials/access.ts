import type { Range } from '../accounts/ranges.js';
import { administeredOrganization, type Viewer } from '../accounts/viewer.js';
import { Prisma } from '../generated/prisma/client.js';

/**
 * The credentials that a viewer lists, reads and revokes, a person its own, an admin also its
 * organisation's; a RUN credential itself; a runtime itself and the RUN ones that it may issue (P9).
 */
export function credentialRanges(viewer: Viewer): Range[] {
  const itself = { column: Prisma.sql`id`, value: viewer.credentialId };
  const ofAccount = { column: Prisma.sql`account_id`, value: viewer.accountId };
  switch (viewer.kind) {
    case 'RUN':
      return [itself];
    case 'PERSONAL': {
      const organizationId = administeredOrganization(viewer);
      return organizationId === null ? [ofAccount] : [ofAccount, ofOrganization(organizationId)];
    }
    case 'SERVICE': {
      const { organizationId } = viewer;
      const whose = organizationId === null ? ofAccount : ofOrganization(organizationId);
      return [itself, { ...whose, filter: Prisma.sql`kind = 'RUN'` }];
    }
    default:
      return viewer.kind satisfies never;
  }
}

const ofOrganization = (organizationId: string) => ({
  column: Prisma.sql`organization_id`,
  value: organizationId,
});

/** The accounts whose node a viewer sees: its own, an admin and a runtime also their organisation's. */
export function seesAccount(
  viewer: Viewer,
  account: { readonly id: string; readonly organizationId: string | null },
): boolean {
  if (account.id === viewer.accountId) return true;
  const organizationId = viewer.kind === 'SERVICE' ? viewer.organizationId : administeredOrganization(viewer);
  return organizationId !== null && account.organizationId === organizationId;
}
