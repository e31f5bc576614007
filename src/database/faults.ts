/** Why the database cannot be opened: for whoever runs Tidings, so its message stands alone, without a stack. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}

export function asTimeout(_error: unknown): Error | undefined {
  return undefined;
}
