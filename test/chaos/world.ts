import { createAccount } from '../../src/accounts/actions.js';
import { createToken } from '../../src/accounts/tokens.js';
import { openDatabase } from '../../src/database/open.js';
import { type Gate, openGate } from '../servers/gate.js';
import { startOwnPostgres } from '../servers/own-postgres.js';
import { freePort, until } from '../servers/own-process.js';
import { startOwnRedis } from '../servers/own-redis.js';
import { Replica } from './replica.js';

export type World = Awaited<ReturnType<typeof openWorld>>;
export type BusKind = 'PostgreSQL' | 'Redis';

/** A PostgreSQL, a Redis and two gateways of the test's own, with a gate before each that can cut what goes through. */
export async function openWorld(bus: BusKind) {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const opened = async <T extends { close(): Promise<unknown> }>(opening: Promise<T>): Promise<T> => {
    const part = await opening;
    closers.push(() => part.close());
    return part;
  };
  try {
    const postgres = await opened(startOwnPostgres());
    const redis = await opened(startOwnRedis());
    const postgresGate = await opened(openGate(() => postgres.port));
    const redisGate = await opened(openGate(() => redis.port));
    const database = await openDatabase({ url: postgres.url, poolSize: 2 });
    const { id: accountId } = await createAccount(database, {
      name: 'Chaos',
      organization: 'Chaos',
      role: 'ADMIN',
    });
    const { secret: reader } = await createToken(database, { kind: 'PERSONAL', accountId });
    const { secret: writer } = await createToken(database, { kind: 'SERVICE', accountId });
    await database.close();
    const env = {
      DATABASE_URL: postgres.url.replace(String(postgres.port), String(postgresGate.port)),
      TIDINGS_DRAIN: '1',
      ...(bus === 'Redis' && { REDIS_URL: `redis://127.0.0.1:${redisGate.port}` }),
    };
    const replicas = [new Replica(await freePort(), env), new Replica(await freePort(), env)] as const;
    for (const replica of replicas) closers.push(() => replica.close('TERM'));
    const door = await opened(openGate(() => portOfOne(replicas)));
    for (const replica of replicas) {
      await until(`a replica at ${replica.port}`, () => Promise.resolve(replica.listens));
    }
    const gates: Readonly<Record<'clients' | 'postgres' | 'redis', Gate>> = {
      clients: door,
      postgres: postgresGate,
      redis: redisGate,
    };
    return {
      url: `http://127.0.0.1:${door.port}`,
      postgres,
      redis,
      gates,
      replicas,
      tokens: { reader, writer },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Of one that listens, if any does. */
function portOfOne(replicas: readonly Replica[]): number {
  const listening = replicas.filter(({ listens }) => listens);
  const chosen = listening[Math.floor(Math.random() * listening.length)] ?? replicas[0];
  return chosen?.port ?? 0;
}
