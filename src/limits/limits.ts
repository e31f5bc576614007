import type { Config } from '../config.js';
import { Addresses } from './addresses.js';
import { openCounters } from './counters.js';
import { Rates } from './rates.js';

/** How much anybody may ask of this server, and who is anybody. */
export interface Limits {
  readonly addresses: Addresses;
  readonly rates: Rates;
  close(): Promise<void>;
}

/** `onError` hears of a shared store that is away; what is counted meanwhile is counted here. */
export async function openLimits(
  { redisUrl, rateLimit, serviceRateLimit, trustedProxies }: LimitsConfig,
  onError: (error: unknown, doing: string) => void,
): Promise<Limits> {
  const isCounting = rateLimit !== undefined || serviceRateLimit !== undefined;
  const counters = await openCounters(isCounting ? redisUrl : undefined, onError);
  return {
    addresses: new Addresses(trustedProxies),
    rates: new Rates(counters, { address: rateLimit, service: serviceRateLimit }),
    close: () => counters.close(),
  };
}

type LimitsConfig = Pick<Config, 'redisUrl' | 'rateLimit' | 'serviceRateLimit' | 'trustedProxies'>;
