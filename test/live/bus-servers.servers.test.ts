import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '../../src/live/follow.js';
import { POSTGRES_MAX_BYTES, postgresWire } from '../../src/live/postgres-wire.js';
import { REDIS_MAX_BYTES, redisWire } from '../../src/live/redis-wire.js';
import { RemoteBus } from '../../src/live/remote-bus.js';
import { watch } from '../../src/live/signals.js';
import { Tails } from '../../src/live/tails.js';
import type { OpenWire } from '../../src/live/wire.js';
import { countResources, expectReleased } from '../resources.js';
import { type Gate, openGate } from '../servers/gate.js';
import { startOwnPostgres } from '../servers/own-postgres.js';
import { startOwnRedis } from '../servers/own-redis.js';
import { eventually } from '../subscriptions/eventually.js';
import { MemoryFamily, pull } from './memory-log.js';
import { openRemoteEnds } from './remote-ends.js';

const HOUR = 3_600_000;

/** A server of the test's own, and the way to it through a gate. */
interface Ground {
  readonly port: number;
  wireThrough(gate: Gate): OpenWire;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly maxBytes: number;
  ground(): Promise<Ground>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'PostgreSQL',
    maxBytes: POSTGRES_MAX_BYTES,
    ground: async () => {
      const server = await startOwnPostgres();
      const wireThrough = ({ port }: Gate) => postgresWire(server.url.replace(/:\d+\//, `:${port}/`));
      return { ...server, wireThrough };
    },
  },
  {
    name: 'Redis',
    maxBytes: REDIS_MAX_BYTES,
    ground: async () => {
      const server = await startOwnRedis();
      return { ...server, wireThrough: ({ port }: Gate) => redisWire(`redis://127.0.0.1:${port}`) };
    },
  },
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(KINDS)("$name's bus", ({ maxBytes, ground }) => {
  let server: Ground;
  beforeAll(async () => {
    server = await ground();
  });
  afterAll(() => server.close());

  /** Two processes, the writer's with a way of its own to the server, and a log that the other follows. Nobody re-checks. */
  async function openProcesses() {
    const gates = [await openGate(() => server.port), await openGate(() => server.port)] as const;
    for (const gate of gates) closing.push(() => gate.close());
    const [own, others] = gates;
    const times = { probeMs: 300, connectMs: 1_000, patience: { firstMs: 20, maxMs: 200 } };
    const writer = await openRemoteEnds(server.wireThrough(own), maxBytes, times);
    const reader = await openRemoteEnds(server.wireThrough(others), maxBytes, times);
    closing.push(
      () => writer.close(),
      () => reader.close(),
    );
    const bus = reader.subscriber;
    const tails = new Tails({ bus, recheckMs: HOUR, onError: () => undefined });
    const log = new MemoryFamily().log('session:1');
    const stream = follow(tails, log, { after: 0 });
    const signals = watch(bus, ['account:1'], { resyncMs: HOUR });
    closing.push(
      async () => stream.return?.(),
      async () => signals.return?.(),
    );
    await pull(stream);
    await signals.next();
    return {
      gate: others,
      bus,
      writer: writer.publisher,
      log,
      stream,
      signals,
      publish: () =>
        writer.publisher.publish({ topics: ['account:1'], log: log.key, head: log.items.length }),
    };
  }

  it('tells the other process what was written, at once', async () => {
    const { log, stream, signals, publish } = await openProcesses();
    log.commit(1);
    publish();
    expect(await pull(stream)).toMatchObject({ position: 1, caughtUp: true });
    expect(await signals.next()).toEqual({ done: false, value: { key: 'session:1' } });
  });

  it('has a follower and a list look again after a restart, though nobody says anything', async () => {
    const { log, stream, signals, bus } = await openProcesses();
    await server.stop();
    await eventually(() => expect(bus.connected).toBe(false));
    log.commit(2);
    await server.start();
    expect(await pull(stream)).toMatchObject({ position: 2 });
    expect(await signals.next()).toEqual({ done: false, value: { resync: true } });
    expect(bus.connected).toBe(true);
  });

  it('brings what was published while the server was away, and goes on', async () => {
    const { log, stream, publish, writer } = await openProcesses();
    for (let round = 1; round <= 3; round++) {
      await server.stop();
      log.commit(1);
      publish();
      await server.start();
      expect((await pull(stream)).position).toBe(round);
      await eventually(() => expect(writer.connected).toBe(true));
    }
    log.commit(1);
    publish();
    expect((await pull(stream)).position).toBe(4);
  });

  it('replaces a connection that carries nothing any more and was never closed (case 25)', async () => {
    const { gate, log, stream, publish, bus } = await openProcesses();
    const taken = gate.taken();
    gate.freeze();
    log.commit(1);
    publish();
    expect((await pull(stream)).position).toBe(1);
    expect(gate.taken()).toBeGreaterThan(taken);
    expect(bus.connected).toBe(true);
    log.commit(1);
    publish();
    expect((await pull(stream)).position).toBe(2);
  });

  it('closes at once and leaves nothing open, whatever the server does', async () => {
    const gate = await openGate(() => server.port);
    closing.push(() => gate.close());
    const before = countResources();
    for (const state of ['well', 'frozen', 'away'] as const) {
      const ends = await openRemoteEnds(server.wireThrough(gate), maxBytes);
      expect([ends.publisher.connected, ends.subscriber.connected]).toEqual([true, true]);
      if (state === 'frozen') gate.freeze();
      if (state === 'away') await server.stop();
      ends.publisher.publish({ topics: [], log: 'log:1', head: 1 });
      await ends.close();
    }
    gate.cut();
    await expectReleased(before);
    await server.start();
  });
});

it('a Redis that refuses the password is told of without it', async () => {
  const server = await startOwnRedis({ password: 'hunter2' });
  closing.push(() => server.close());
  const faults: unknown[] = [];
  const onError = (error: unknown, doing: string) => faults.push([doing, error]);
  const open = redisWire(server.url.replace('hunter2', 'hunter3'));
  const bus = new RemoteBus({ open, maxBytes: REDIS_MAX_BYTES, onError });
  closing.push(() => bus.close());
  await bus.opened;
  expect(bus.connected).toBe(false);
  const told = faults.map((fault) => JSON.stringify(fault) + String(fault));
  expect(told.join()).toContain('connecting the bus');
  expect(told.join()).toContain('WRONGPASS');
  expect(told.join()).not.toMatch(/hunter/);
});
