import { Redis, type RedisOptions } from 'ioredis';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RateRule } from '../config.js';
import { plain } from '../live/plain.js';

/** What was counted under a name. */
export interface Count {
  /** More than the rule allows: until `resetMs` have passed, however much is asked meanwhile. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** When counting begins anew. */
  readonly resetMs: number;
}

/** Counts under names, such as addresses, within a time that begins with the first; one that passes the rule is blocked. */
export class Counter {
  readonly rule: RateRule;
  readonly #limiter: RateLimiterAbstract;

  constructor(rule: RateRule, limiter: RateLimiterAbstract) {
    this.rule = rule;
    this.#limiter = limiter;
  }

  async add(name: string, points = 1): Promise<Count> {
    try {
      return this.#countOf(await this.#limiter.consume(name, points));
    } catch (refusal) {
      // How the library says no; faults of a store it keeps to itself, since it has another.
      if (refusal instanceof RateLimiterRes) return this.#countOf(refusal);
      throw refusal;
    }
  }

  /** Counts nothing. */
  async look(name: string): Promise<Count> {
    const found = await this.#limiter.get(name);
    return found === null ? { isOver: false, remaining: this.rule.points, resetMs: 0 } : this.#countOf(found);
  }

  #countOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Count {
    const { points } = this.rule;
    return {
      isOver: consumedPoints > points,
      remaining: Math.max(0, points - consumedPoints),
      resetMs: Math.max(0, msBeforeNext),
    };
  }
}

/** Where counters are kept. */
export interface Counters {
  /** `kind` tells counters apart that share a store. */
  counter(kind: string, rule: RateRule): Counter;
  close(): Promise<void>;
}

/**
 * In Redis for all processes together, or in this one. While Redis does not answer each process counts by itself: nothing goes
 * uncounted, and nobody waits. `onError` hears once of each time that it is away.
 */
export async function openCounters(
  redisUrl: string | undefined,
  onError: (error: unknown, doing: string) => void,
): Promise<Counters> {
  if (redisUrl === undefined) return inMemory();
  return inRedis(redisUrl, onError);
}

function inMemory(): Counters {
  const memories: BoundedMemory[] = [];
  return {
    counter(kind, rule) {
      const memory = new BoundedMemory(kind, rule);
      memories.push(memory);
      return new Counter(rule, memory);
    },
    close: async () => {
      for (const memory of memories) memory.clear();
    },
  };
}

/** Names that one counter keeps. Whoever has more addresses than that cannot be told from a crowd. */
const MAX_NAMES = 50_000;

/** The library's counter, which keeps every name until its time is over, with the oldest let go before they are too many. */
class BoundedMemory extends RateLimiterMemory {
  readonly #names = new LRUCache<string, true>({
    max: MAX_NAMES,
    dispose: (_, name) => void this.delete(name),
  });
  readonly #onUse: (() => void) | undefined;

  constructor(kind: string, { points, seconds, blockSeconds }: RateRule, onUse?: () => void) {
    super({ keyPrefix: kind, points, duration: seconds, blockDuration: blockSeconds });
    this.#onUse = onUse;
  }

  override consume(name: string | number, points?: number): Promise<RateLimiterRes> {
    this.#onUse?.();
    this.#names.set(String(name), true);
    return super.consume(name, points);
  }

  override get(name: string | number): Promise<RateLimiterRes | null> {
    this.#onUse?.();
    return super.get(name);
  }

  /** Its timers go too. */
  clear(): void {
    this.#names.clear();
  }
}

/** How long, in ms, Redis may take for a command, and from one attempt to reach it to the next. */
const COMMAND_TIMEOUT = 500;
const RETRY = 1_000;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectionName: 'tidings-limits',
  // What cannot be asked now is counted here instead, and must not be counted there later.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT,
  connectTimeout: 5_000,
  retryStrategy: () => RETRY,
};

async function inRedis(url: string, onError: (error: unknown, doing: string) => void): Promise<Counters> {
  const redis = new Redis(url, OPTIONS);
  const away = once(redis, onError);
  const memories: BoundedMemory[] = [];
  // Later, when it cannot be reached now.
  await redis.connect().catch(away);
  return {
    counter(kind, rule) {
      const { points, seconds, blockSeconds } = rule;
      const memory = new BoundedMemory(kind, rule, () => {
        away(new Error('Redis did not answer, or refused.'));
        // It may be there and hang: asked again on a new connection only, so that not every request waits for it.
        if (redis.status === 'ready') redis.stream.destroy();
      });
      memories.push(memory);
      const limiter = new RateLimiterRedis({
        storeClient: redis,
        rejectIfRedisNotReady: true,
        keyPrefix: `tidings:${kind}`,
        points,
        duration: seconds,
        blockDuration: blockSeconds,
        insuranceLimiter: memory,
      });
      return new Counter(rule, limiter);
    },
    close: async () => {
      redis.disconnect();
      for (const memory of memories) memory.clear();
    },
  };
}

/** Tells of the first fault after Redis was there. One that comes and goes is told of once a minute. */
function once(redis: Redis, onError: (error: unknown, doing: string) => void): (error: unknown) => void {
  let isAway = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  const away = (error: unknown) => {
    if (!isAway && performance.now() - toldAt > 60_000) {
      toldAt = performance.now();
      onError(plain(error), 'counting requests in Redis; until then each process counts by itself');
    }
    isAway = true;
  };
  redis.on('error', away).on('ready', () => {
    isAway = false;
  });
  return away;
}
