import { vi } from 'vitest';
import { begin } from './command.js';

/** Starts a server as a process of its own, and waits until it says where it is. */
export async function serve(env: Readonly<Record<string, string>>) {
  const server = begin(['serve'], env);
  const url = await vi.waitFor(
    () => {
      const found = /"url":"([^"]+)\/graphql"/.exec(server.output.out)?.[1];
      if (found === undefined) throw new Error(`Not listening yet: ${server.output.out}${server.output.err}`);
      return found;
    },
    { timeout: 60_000 },
  );
  const stop = async () => {
    server.child.kill('SIGTERM');
    return server.ended;
  };
  return { ...server, url, stop };
}

export const ask = async (url: string, token: string, query: string) => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(await response.text());
};
