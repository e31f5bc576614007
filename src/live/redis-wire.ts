import { Redis, type RedisOptions } from 'ioredis';
import type { OpenWire } from './wire.js';

/** Redis takes far more; a reader should not have to. */
export const REDIS_MAX_BYTES = 64 * 1024;

/** Whoever keeps the wire connects again, and keeps what is to be sent. */
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy: () => null,
  connectionName: 'tidings-bus',
};

/**
 * Redis's publish and subscribe, which takes a connection for each. A message reaches all databases of a Redis, so the channel is named
 * after the URL's: installations that share a Redis each take another.
 */
export function redisWire(url: string): OpenWire {
  return ({ text, lost }) => {
    const publisher = new Redis(url, OPTIONS);
    const subscriber = new Redis(url, OPTIONS);
    const channel = `tidings:hints:${publisher.options.db ?? 0}`;
    const both = [publisher, subscriber];
    for (const redis of both)
      redis.on('error', lost).on('end', () => lost(new Error('The connection ended.')));
    subscriber.on('message', (_channel, message) => text(message));
    const listen = async () => {
      await Promise.all(both.map((redis) => redis.connect()));
      await subscriber.subscribe(channel);
    };
    return {
      ready: listen(),
      send: async (texts) => {
        await Promise.all(texts.map((message) => publisher.publish(channel, message)));
      },
      close: async () => {
        await Promise.all(both.map((redis) => redis.quit()));
      },
      cut: () => {
        for (const redis of both) redis.disconnect();
      },
    };
  };
}
