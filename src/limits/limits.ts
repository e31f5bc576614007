import type { Config } from '../config.js';
import { Addresses } from './addresses.js';
import { openCounters } from './counters.js';
import { Rates } from './rates.js';
import { Tally } from './tally.js';

/** How much anybody may ask of this server, and who is anybody. */
export interface Limits {
  readonly addresses: Addresses;
  readonly rates: Rates;
  /** WebSockets and event streams that are open, by address and by credential. */
  readonly streams: { readonly ofAddress: Tally; readonly ofCredential: Tally };
  close(): Promise<void>;
}

/** `onError` hears of a shared store that is away; what is counted meanwhile is counted here. */
export async function openLimits(
  config: LimitsConfig,
  onError: (error: unknown, doing: string) => void,
): Promise<Limits> {
  const { rateLimit: address, serviceRateLimit: service, costBudget } = config;
  const credential =
    costBudget === undefined ? undefined : { points: costBudget, seconds: 60, blockSeconds: 0 };
  const isCounting = [address, service, credential].some((rule) => rule !== undefined);
  const counters = await openCounters(isCounting ? config.redisUrl : undefined, onError);
  return {
    addresses: new Addresses(config.trustedProxies),
    rates: new Rates(counters, { address, service, credential }),
    streams: {
      ofAddress: new Tally('an address', config.addressStreams),
      ofCredential: new Tally('a credential', config.credentialStreams),
    },
    close: () => counters.close(),
  };
}

type LimitsConfig = Pick<
  Config,
  | 'redisUrl'
  | 'rateLimit'
  | 'serviceRateLimit'
  | 'costBudget'
  | 'trustedProxies'
  | 'addressStreams'
  | 'credentialStreams'
>;
