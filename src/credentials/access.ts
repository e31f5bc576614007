import { administeredOrganization, type Viewer } from '../accounts/viewer.js';
import { Prisma } from '../generated/prisma/client.js';

/**
 * The credentials that a viewer lists, reads and revokes, each condition a range of one index: a person its own, an admin also its
 * organisation's; a RUN credential itself; a runtime itself and the RUN ones that it may issue (P9).
 */
export function credentialRanges(viewer: Viewer): Prisma.Sql[] {
  const itself = Prisma.sql`id = ${viewer.credentialId}::uuid`;
  const ofAccount = Prisma.sql`account_id = ${viewer.accountId}::uuid`;
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
      return [itself, Prisma.sql`${whose} AND kind = 'RUN'`];
    }
    default:
      return viewer.kind satisfies never;
  }
}

const ofOrganization = (organizationId: string) => Prisma.sql`organization_id = ${organizationId}::uuid`;

/** The accounts whose node a viewer sees: its own, an admin and a runtime also their organisation's. */
export function seesAccount(
  viewer: Viewer,
  account: { readonly id: string; readonly organizationId: string | null },
): boolean {
  if (account.id === viewer.accountId) return true;
  const organizationId = viewer.kind === 'SERVICE' ? viewer.organizationId : administeredOrganization(viewer);
  return organizationId !== null && account.organizationId === organizationId;
}
