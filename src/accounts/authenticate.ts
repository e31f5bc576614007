import type { Database } from '../database/database.js';
import { DomainError } from '../errors.js';
import { hashSecret, SECRET } from './secrets.js';
import { endingOf, findStanding, planRefusal, toViewer } from './standing.js';
import type { Viewer } from './viewer.js';

const HOW = 'Send the header Authorization: Bearer tdg_… (WebSocket: connectionParams.authorization).';

const unauthenticated = (message: string) => new DomainError('UNAUTHENTICATED', `${message} ${HOW}`);

/** The secret of an `Authorization` header; undefined without a header, '' when it holds something else. */
export function bearer(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  return /^Bearer +(tdg_\S+)\s*$/i.exec(header.trim())?.[1] ?? '';
}

/**
 * Who a secret speaks for, as the database has it now, by one look-up, whatever it finds. `onUse` is told of one whose last use is to be
 * noted.
 * @throws UNAUTHENTICATED without a secret, for text that is none, and, in the same words, for one that is unknown, expired, revoked
 * or ended with its account's place in the organisation (P9); PLAN_UPGRADE_REQUIRED when the plan of the account or of its
 * organisation has no API access.
 */
export async function authenticate(
  database: Database,
  secret: string | undefined,
  onUse: (credentialId: string) => void = () => {},
): Promise<Viewer> {
  if (secret === undefined) throw unauthenticated('Expected a credential, got none.');
  if (!SECRET.test(secret)) {
    throw unauthenticated('Expected a credential, which is tdg_ and 43 characters, got other text.');
  }
  const standing = await findStanding(database, hashSecret(secret));
  if (standing === undefined || endingOf(standing) !== undefined) {
    throw unauthenticated('Expected a credential in force: this one is unknown, expired or revoked.');
  }
  const refusal = planRefusal(standing);
  if (refusal !== undefined) throw refusal;
  if (standing.unseen) onUse(standing.credentialId);
  return toViewer(standing);
}
