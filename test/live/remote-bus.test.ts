import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Hint } from '../../src/live/bus.js';
import { RemoteBus } from '../../src/live/remote-bus.js';
import { busFaultSuite } from './bus-fault-suite.js';
import { busSuite } from './bus-suite.js';
import { fakeClock, settle } from './memory-log.js';
import { MemoryServer } from './memory-server.js';

async function openEnds() {
  const server = new MemoryServer();
  const faults: unknown[] = [];
  const onError = (error: unknown) => faults.push(error);
  const [publisher, subscriber] = [0, 1].map(
    () => new RemoteBus({ open: server.open, maxBytes: 7_999, onError }),
  ) as [RemoteBus, RemoteBus];
  await Promise.all([publisher.opened, subscriber.opened]);
  const close = async () => {
    await Promise.all([publisher.close(), subscriber.close()]);
  };
  return { publisher, subscriber, faults, close };
}

busSuite('a bus over a server', openEnds);
busFaultSuite('a bus over a server', openEnds);

describe('a bus over a server that fails', () => {
  let server: MemoryServer;
  let faults: string[];
  const buses: RemoteBus[] = [];
  beforeEach(() => {
    fakeClock();
    server = new MemoryServer();
    faults = [];
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  function connect(maxBytes = 7_999): RemoteBus {
    const onError = (error: unknown, doing: string) => void faults.push(`${doing}: ${String(error)}`);
    const bus = new RemoteBus({ open: server.open, maxBytes, onError });
    buses.push(bus);
    return bus;
  }

  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await settle();
  };
  const hint = (head: number, log = 'log:1'): Hint => ({ topics: ['account:1'], log, head });
  const record = (bus: RemoteBus, topic = 'account:1') => {
    const heard: string[] = [];
    bus.subscribe(topic, ({ log, head }) => heard.push(`${log}=${head}`));
    return heard;
  };
  const reconnects = (bus: RemoteBus) => {
    const count = { value: 0 };
    bus.onReconnect(() => {
      count.value += 1;
    });
    return count;
  };

  it('tells its own process before publish returns, and once, whether it is connected or not', async () => {
    server.connecting = 'refused';
    const bus = connect();
    const heard = record(bus);
    bus.publish(hint(1));
    expect(heard).toEqual(['log:1=1']);
    server.connecting = 'works';
    await pass(10_000);
    expect(bus.connected).toBe(true);
    bus.publish(hint(2));
    expect(heard).toEqual(['log:1=1', 'log:1=2']);
    await pass(1_000);
    expect(heard).toHaveLength(2);
  });

  it('sends a burst at once, and of each log the greatest head', async () => {
    const [one, other] = [connect(), connect()];
    await pass(100);
    const heard = record(other);
    server.sent.length = 0;
    for (let head = 1; head <= 1_000; head++) one.publish(hint(head, `log:${head % 10}`));
    await pass(1_000);
    expect(server.sent.length).toBe(2);
    expect(heard).toEqual(
      [
        'log:1=1',
        ...[2, 3, 4, 5, 6, 7, 8, 9, 0, 1].map((n) => `log:${n}=${990 + n + (n === 0 ? 10 : 0)}`),
      ].sort(byHead),
    );
  });

  it('lets no text be larger than the server takes, and leaves no hint out for it', async () => {
    const [one, other] = [connect(300), connect(300)];
    await pass(100);
    const heard = record(other);
    for (let log = 1; log <= 50; log++) one.publish(hint(1, `löng:${log}`));
    await pass(100);
    expect(heard.sort()).toEqual(Array.from({ length: 50 }, (_, n) => `löng:${n + 1}=1`).sort());
    const sizes = server.sent.flat().map((text) => Buffer.byteLength(text));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(300);
    expect(sizes.length).toBeLessThan(30);
  });

  it('has the others look again in place of a hint that no text can hold', async () => {
    const [one, other] = [connect(300), connect(300)];
    await pass(100);
    const [heard, count] = [record(other), reconnects(other)];
    one.publish(hint(1, `log:${'x'.repeat(300)}`));
    one.publish(hint(2, 'log:2'));
    await pass(1_000);
    expect(heard).toEqual(['log:2=2']);
    expect(count.value).toBe(1);
  });

  it('keeps what cannot be sent until it can, and says that it is not connected', async () => {
    const [one, other] = [connect(), connect()];
    await pass(100);
    const heard = record(other);
    server.connecting = 'refused';
    const [first] = server.wires;
    first?.lost(new Error('broken'));
    expect([one.connected, other.connected]).toEqual([false, true]);
    one.publish(hint(1));
    await pass(60_000);
    expect(heard).toEqual([]);
    server.connecting = 'works';
    await pass(10_000);
    expect(one.connected).toBe(true);
    expect(heard).toEqual(['log:1=1']);
  });

  it('keeps no more than its bound: beyond it the others look again', async () => {
    const [one, other] = [connect(), connect()];
    await pass(100);
    const [heard, count] = [record(other), reconnects(other)];
    server.carrying = 'pending';
    one.publish(hint(1, 'log:0'));
    await settle();
    for (let log = 1; log <= 12_000; log++) one.publish(hint(1, `log:${log}`));
    server.carrying = 'works';
    server.break();
    await pass(1_000);
    expect(heard.length).toBeLessThan(5_000);
    expect(count.value).toBeGreaterThan(0);
    expect(server.sent.flat().filter((text) => text.includes('"lost":true'))).toHaveLength(1);
  });

  it('has everyone look again once after each reconnect, and once for all who say that they lost something', async () => {
    const bus = [connect(), connect(), connect(), connect()];
    await pass(100);
    const counts = bus.map(reconnects);
    server.carrying = 'refused';
    for (const each of bus.slice(1)) each.publish(hint(1));
    await settle();
    server.carrying = 'works';
    await pass(2_000);
    expect(counts[0]?.value).toBe(1);
    expect(bus.every(({ connected }) => connected)).toBe(true);
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(
      Array(3).fill('keeping the connection of the bus'),
    );
  });

  it('goes on telling the other listeners of a reconnect after one that throws, and none that has left', async () => {
    const bus = connect();
    await pass(100);
    const leave = bus.onReconnect(() => {
      throw new Error('a listener at fault');
    });
    const count = reconnects(bus);
    const left = vi.fn();
    bus.onReconnect(left)();
    server.break();
    await pass(1_000);
    expect(count.value).toBe(1);
    expect(left).not.toHaveBeenCalled();
    expect(faults.at(-1)).toContain('a listener at fault');
    leave();
    expect(bus.reconnectListeners).toBe(1);
  });

  it('replaces a connection on which nothing comes back, within two looks (case 25)', async () => {
    const bus = connect();
    await pass(100);
    const count = reconnects(bus);
    server.carrying = 'swallowed';
    await pass(9_800);
    expect([server.attempts, bus.connected]).toEqual([1, true]);
    server.carrying = 'works';
    await pass(300);
    expect(server.attempts).toBe(2);
    expect(bus.connected).toBe(true);
    expect(count.value).toBe(1);
    expect(faults).toEqual([expect.stringContaining('Expected a message of its own back within 5000 ms')]);
  });

  it('replaces a connection on which sending takes for ever, and sends on the new one', async () => {
    const [one, other] = [connect(), connect()];
    await pass(100);
    const heard = record(other);
    server.carrying = 'pending';
    one.publish(hint(1));
    await settle();
    server.carrying = 'works';
    one.publish(hint(2));
    await pass(11_000);
    expect(heard.at(-1)).toBe('log:1=2');
    expect(one.connected).toBe(true);
  });

  it('asks whether the way is open only while nothing else shows it', async () => {
    const bus = connect();
    await pass(100);
    server.sent.length = 0;
    await pass(50_000);
    expect(server.sent).toHaveLength(10);
    server.sent.length = 0;
    for (let second = 0; second < 50; second++) {
      bus.publish(hint(second));
      await pass(1_000);
    }
    expect(server.sent.length).toBeLessThanOrEqual(60);
  });

  it('gives up a server that does not answer, and tries again after ever longer waits', async () => {
    server.connecting = 'pending';
    const bus = connect();
    await pass(5_000);
    await bus.opened;
    expect(faults).toEqual([expect.stringMatching(/^connecting the bus: .*within 5000 ms/)]);
    server.connecting = 'refused';
    const before = server.attempts;
    await pass(60_000);
    // 0.1, 0.2, 0.4 … 5 s, each shortened by up to a half.
    expect(server.attempts - before).toBeGreaterThan(12);
    expect(server.attempts - before).toBeLessThan(35);
  });

  it('comes back soon after each of many breaks, as long as the connections between them worked', async () => {
    const bus = connect();
    await pass(100);
    for (let round = 0; round < 10; round++) {
      server.break();
      await pass(200);
      expect(bus.connected).toBe(true);
    }
  });

  it('waits longer each time for a server that takes it in and carries nothing', async () => {
    server.carrying = 'swallowed';
    connect();
    await pass(100_000);
    expect(server.attempts).toBeLessThan(15);
    expect(server.attempts).toBeGreaterThan(5);
  });

  it('takes no harm from what others say on the same channel', async () => {
    const bus = connect();
    await pass(100);
    const heard = record(bus);
    for (const text of ['', 'null', '{', '[]', '{"from":1}', '{"from":"x","number":1,"hints":[["a"]]}']) {
      server.say(text);
    }
    server.say('{"from":"x","number":1,"hints":[["log:9",9,["account:1"]]],"new":true}');
    expect(heard).toEqual(['log:9=9']);
    expect(faults).toEqual([]);
  });

  it('sends what is left when it closes, and does not wait for a server that is gone', async () => {
    const [one, other] = [connect(), connect()];
    await pass(100);
    const heard = record(other);
    for (let head = 1; head <= 10; head++) one.publish(hint(head, `log:${head}`));
    const closed = one.close();
    await pass(10);
    await closed;
    expect(heard).toHaveLength(10);
    const stuck = connect();
    await pass(100);
    server.carrying = 'pending';
    stuck.publish(hint(1));
    const closing = stuck.close();
    await pass(2_000);
    await closing;
    expect(stuck.connected).toBe(false);
  });

  it('tells nobody the secrets that a client of a server puts into its errors', async () => {
    server.connecting = 'pending';
    const withSecret = Object.assign(new Error('WRONGPASS'), { code: 'E1', command: { args: ['hunter2'] } });
    const onError = vi.fn();
    const bus = new RemoteBus({
      open: (events) => ({ ...server.open(events), ready: Promise.reject(withSecret) }),
      maxBytes: 1,
      onError,
    });
    buses.push(bus);
    await bus.opened;
    const [error] = onError.mock.calls[0] ?? [];
    expect(error).toMatchObject({ message: 'WRONGPASS', code: 'E1' });
    expect(JSON.stringify(Object.entries(error))).not.toContain('hunter2');
  });
});

const byHead = (a: string, b: string) => Number(a.split('=')[1]) - Number(b.split('=')[1]);
