import { describe, expect, it } from 'vitest';
import { Addresses } from '../../src/limits/addresses.js';

const addressOf = (proxies: readonly string[], remoteAddress: string, forwarded?: string): string =>
  new Addresses(proxies).of({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as Parameters<Addresses['of']>[0]);

describe('the address that a request is counted under', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['127.0.0.1', '127.0.0.1'],
  ])('of %s is %s', (remote, counted) => {
    expect(addressOf([], remote)).toBe(counted);
  });
});

describe('X-Forwarded-For', () => {
  it('is not believed from anybody', () => {
    expect(addressOf([], '127.0.0.1', '198.51.100.7')).toBe('127.0.0.1');
    expect(addressOf(['10.0.0.0/8'], '192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
  });

  it.each([
    ['an address', '10.0.0.1', '10.0.0.1'],
    ['a network', '10.0.0.0/8', '10.200.3.4'],
    ['an IPv6 network', 'fd00::/8', 'fd12::1'],
    ['loopback', 'loopback', '127.0.0.1'],
    ['loopback over IPv6', 'loopback', '::1'],
    ['loopback as IPv6 has it', 'loopback', '::ffff:127.0.0.1'],
  ])('is believed from a proxy that is trusted as %s', (_, trusted, proxy) => {
    expect(addressOf([trusted], proxy, '198.51.100.7')).toBe('198.51.100.7');
  });

  const through = (forwarded: string) => addressOf(['10.0.0.0/8'], '10.0.0.1', forwarded);

  it.each([
    ['what the client itself wrote', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['that, behind two proxies', '203.0.113.9, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
    ['what is no address, and all before it', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['nothing at all', '', '10.0.0.1'],
  ])('is read from its end: %s does not count', (_, forwarded, counted) => {
    expect(through(forwarded)).toBe(counted);
  });

  it('is the first proxy where there is nothing but proxies', () => {
    expect(through('10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  });

  it('may name a port', () => {
    expect(through('198.51.100.7:4711')).toBe('198.51.100.7');
    expect(through('[2001:db8::7]:4711')).toBe('2001:db8:0:0::/64');
  });
});
