import { Redis } from 'ioredis';
import { freePort, OwnProcess, type Signal, until } from './own-process.js';
import { programPath } from './programs.js';

export type OwnRedis = Awaited<ReturnType<typeof startOwnRedis>>;

/** A Redis of the test's own, which keeps nothing. */
export async function startOwnRedis({ password }: { readonly password?: string } = {}) {
  const port = await freePort();
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  const command = [
    ...[programPath('redis-server') ?? 'redis-server', '--port', String(port), '--bind', '127.0.0.1'],
    ...['--save', '', '--appendonly', 'no'],
    ...(password === undefined ? [] : ['--requirepass', password]),
  ];
  const launch = async () => {
    const started = new OwnProcess(command);
    await until(`a Redis at port ${port}`, () => redisAnswers(url));
    return started;
  };
  let running = await launch();
  return {
    url,
    port,
    stop: (signal: Signal = 'TERM') => running.end(signal),
    async start(): Promise<void> {
      running = await launch();
    },
    close: () => running.end('KILL'),
  };
}

/** Whether a Redis answers there. */
export async function redisAnswers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 3_000 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
