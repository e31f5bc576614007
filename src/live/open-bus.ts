import type { Config } from '../config.js';
import type { Bus } from './bus.js';
import { InProcessBus } from './in-process-bus.js';
import { POSTGRES_MAX_BYTES, postgresWire } from './postgres-wire.js';
import { REDIS_MAX_BYTES, redisWire } from './redis-wire.js';
import { RemoteBus, type RemoteBusTimes } from './remote-bus.js';

/** The bus between the processes of one installation. It takes part from the start, or as soon as its server can be reached. */
export async function openBus(
  { databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>,
  onError: (error: unknown, doing: string) => void,
  times?: Partial<RemoteBusTimes>,
): Promise<Bus> {
  if (redisUrl === undefined && databaseUrl === undefined) return new InProcessBus(onError);
  const way =
    redisUrl === undefined
      ? { open: postgresWire(databaseUrl ?? ''), maxBytes: POSTGRES_MAX_BYTES }
      : { open: redisWire(redisUrl), maxBytes: REDIS_MAX_BYTES };
  const bus = new RemoteBus({ ...way, onError, times });
  await bus.opened;
  return bus;
}
