import type { IncomingMessage } from 'node:http';
import type { DemoAccess } from './page.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Names that only a browser on this machine has for it. A foreign name that leads here, as in DNS rebinding, is none of them. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * The demo's access, if the page may hold it: the server listens on this machine alone, was asked by one of its own names, and by no
 * proxy, which may stand for anyone.
 */
export function demoFor(
  { headers }: IncomingMessage,
  host: string,
  demo: DemoAccess | undefined,
): DemoAccess | undefined {
  const isProxied = 'forwarded' in headers || 'x-forwarded-for' in headers || 'via' in headers;
  return LOOPBACK.test(host) && OWN_HOST.test(headers.host ?? '') && !isProxied ? demo : undefined;
}
