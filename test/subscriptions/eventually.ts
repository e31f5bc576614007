import { vi } from 'vitest';

/** Waits until a check passes: for as long as a busy machine may take. */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });
