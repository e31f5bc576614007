/** What a client of a server reports may hold the command that failed, a password among its arguments: only what happened is told. */
export function plain(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = 'code' in error ? String(error.code) : undefined;
  const told = new Error(error.message || code || error.name);
  return code === undefined ? told : Object.assign(told, { code });
}
