import { createHash, randomBytes } from 'node:crypto';

/** What a secret looks like: `tdg_` and 32 random bytes in base64url. */
export const SECRET = /^tdg_[A-Za-z0-9_-]{43}$/;

/** A new secret; whoever asked for it sees it once, the database never. */
export const newSecret = (): string => `tdg_${randomBytes(32).toString('base64url')}`;

/** SHA-256, 32 bytes: all that is stored of a secret. It is random throughout, so it needs neither salt nor slowness. */
export const hashSecret = (secret: string): Buffer<ArrayBuffer> =>
  createHash('sha256').update(secret).digest();
