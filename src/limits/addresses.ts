import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** What `loopback` stands for in a list of proxies. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Of an IPv6 address the first 64 bits, which is what one customer has: the rest it may choose as it likes. */
const NETWORK_GROUPS = 4;

/**
 * Who a request comes from. A proxy that is trusted says it in X-Forwarded-For; what anybody else writes there is not looked at.
 */
export class Addresses {
  readonly #trusted = new BlockList();

  /** `proxies` are addresses, networks such as 10.0.0.0/8, or `loopback`, as the configuration found them good. */
  constructor(proxies: readonly string[]) {
    for (const entry of proxies.flatMap((proxy) => (proxy === 'loopback' ? LOOPBACK : [proxy]))) {
      const [address = '', prefix] = entry.split('/');
      if (prefix === undefined) this.#trusted.addAddress(address, familyOf(address));
      else this.#trusted.addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  /** The name that an address is counted under: an IPv4 address, or an IPv6 network of 64 bits. */
  of(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const peer = request.socket.remoteAddress ?? '';
    return networkOf(
      this.#isTrusted(peer) ? this.#clientBefore(peer, request.headers['x-forwarded-for']) : peer,
    );
  }

  /** Each proxy adds whom it was asked by at the end: the last that is no proxy of ours is the client. */
  #clientBefore(proxy: string, forwarded: string | string[] | undefined): string {
    let client = proxy;
    for (const hop of String(forwarded ?? '')
      .split(',')
      .reverse()) {
      const address = withoutPort(hop.trim());
      if (isIP(address) === 0) break;
      client = address;
      if (!this.#isTrusted(address)) break;
    }
    return client;
  }

  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, familyOf(address));
  }
}

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Some proxies write the port too: 192.0.2.1:4711, [2001:db8::1]:4711. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

/** IPv4 inside of IPv6 (::ffff:192.0.2.1) is IPv4: a server that listens on both sees it so. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of an IPv6 address. A URL writes it in one way, without dots; `::` stands for as many zeros as are missing. */
function groupsOf(address: string): readonly number[] {
  const [plain] = address.split('%', 1);
  const [before = [], after = []] = new URL(`http://[${plain}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) =>
      half
        .split(':')
        .filter((group) => group !== '')
        .map((group) => Number.parseInt(group, 16)),
    );
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
