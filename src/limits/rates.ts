import type { RateRule } from '../config.js';
import { DomainError } from '../errors.js';
import type { Count, Counter, Counters } from './counters.js';

/** Who asks, as far as counting goes by it. */
export interface Asker {
  readonly credentialId: string;
  readonly kind: string;
}

/** What is left of a limit, for whoever wants to slow down in time. */
export interface Left extends Count {
  readonly of: Whose;
  readonly rule: RateRule;
}

/** Under which limit something is counted. */
type Whose = 'address' | 'service' | 'credential';

export interface RateRules {
  /** Requests of an address; undefined: not counted. */
  readonly address: RateRule | undefined;
  /** Requests of a SERVICE credential. */
  readonly service: RateRule | undefined;
  /** What the operations of a credential may cost. */
  readonly credential: RateRule | undefined;
}

/**
 * How often anybody may ask. People and runs are counted by address, since their credentials are many; a SERVICE credential speaks for a
 * whole runtime, and is counted by itself.
 */
export class Rates {
  readonly #address: Counter | undefined;
  readonly #service: Counter | undefined;
  readonly #credential: Counter | undefined;

  constructor(counters: Counters, { address, service, credential }: RateRules) {
    this.#address = address && counters.counter('address', address);
    this.#service = service && counters.counter('service', service);
    this.#credential = credential && counters.counter('cost', credential);
  }

  /** Before anything is looked up for it. @throws RATE_LIMITED while the address is blocked, whoever asks. */
  async refuseBlocked(address: string): Promise<void> {
    const counter = this.#address;
    if (counter === undefined) return;
    const count = await counter.look(address);
    if (count.isOver) throw refusal('address', counter.rule, count);
  }

  /** Counts a request, or an operation on a WebSocket. @throws RATE_LIMITED for one too many. */
  async count(address: string, { kind, credentialId }: Asker): Promise<Left | undefined> {
    return kind === 'SERVICE'
      ? countIn('service', this.#service, credentialId)
      : countIn('address', this.#address, address);
  }

  /** Counts one whose credential is not good, or who does not say any. @throws RATE_LIMITED for one too many. */
  async countUnknown(address: string): Promise<Left | undefined> {
    return countIn('address', this.#address, address);
  }

  /** Takes what an operation costs from what its credential may spend. @throws RATE_LIMITED once that is spent. */
  async spend({ credentialId }: Pick<Asker, 'credentialId'>, cost: number): Promise<Left | undefined> {
    return countIn('credential', this.#credential, credentialId, cost);
  }
}

async function countIn(
  of: Whose,
  counter: Counter | undefined,
  name: string,
  points = 1,
): Promise<Left | undefined> {
  if (counter === undefined) return undefined;
  const count = await counter.add(name, points);
  if (count.isOver) throw refusal(of, counter.rule, count);
  return { of, rule: counter.rule, ...count };
}

/** Of what, and whose. */
const WHAT: Readonly<Record<Whose, readonly [string, string]>> = {
  address: ['requests', 'an address'],
  service: ['requests', 'a SERVICE credential'],
  credential: ['units of cost', 'a credential'],
};

function refusal(of: Whose, { points, seconds }: RateRule, { resetMs }: Count): DomainError {
  const [what, whose] = WHAT[of];
  const retryAfter = Math.max(1, Math.ceil(resetMs / 1_000));
  return new DomainError(
    'RATE_LIMITED',
    `Expected at most ${points} ${what} in ${seconds} seconds from ${whose}, got more. Ask again in ${retryAfter} seconds.`,
    { limit: points, seconds, retryAfter },
  );
}
