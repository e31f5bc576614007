import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bus, Hint, HintListener } from '../../src/live/bus.js';
import { follow } from '../../src/live/follow.js';
import { watch } from '../../src/live/signals.js';
import { Tails } from '../../src/live/tails.js';
import type { BusEnds } from './bus-suite.js';
import { MemoryFamily, numbers, pullTo, span } from './memory-log.js';
import { seeded } from './seeded.js';

/** What may become of a hint on its way; each with the same chance. */
const FATES = ['lost', 'doubled', 'late', 'late', 'as it should be'] as const;
const LATE = 40;

/** Another bus whose hints are lost, doubled, late and, being late, out of order. */
class FaultyBus implements Bus {
  readonly #bus: Bus;
  readonly #random = seeded(7);
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly fates = new Map<string, number>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  get connected() {
    return this.#bus.connected;
  }

  get delayMs() {
    return this.#bus.delayMs;
  }

  get listeners() {
    return this.#bus.listeners;
  }

  publish(hint: Hint): void {
    this.#bus.publish(hint);
  }

  subscribe(topic: string, listener: HintListener): () => void {
    let left = false;
    const tell = (hint: Hint) => {
      if (!left) listener(hint);
    };
    const leave = this.#bus.subscribe(topic, (hint) => this.#deliver(hint, tell));
    return () => {
      left = true;
      leave();
    };
  }

  onReconnect(listener: () => void): () => void {
    return this.#bus.onReconnect(listener);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#bus.close();
  }

  #deliver(hint: Hint, tell: HintListener): void {
    const fate = FATES[Math.floor(this.#random() * FATES.length)] ?? 'lost';
    this.fates.set(fate, (this.fates.get(fate) ?? 0) + 1);
    if (fate === 'lost') return;
    if (fate !== 'late') tell(hint);
    if (fate === 'as it should be') return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        tell(hint);
      },
      Math.ceil(this.#random() * LATE),
    );
    this.#timers.add(timer);
  }
}

/** What follows holds on every bus, whatever becomes of its hints (P4). */
export function busFaultSuite(name: string, open: () => Promise<BusEnds>): void {
  describe(`${name}, whose hints are lost, doubled, late and out of order`, () => {
    let ends: BusEnds;
    let faulty: FaultyBus;
    beforeEach(async () => {
      ends = await open();
      faulty = new FaultyBus(ends.subscriber);
    });
    afterEach(async () => {
      await faulty.close();
      await ends.close();
    });

    it('brings each follower each entry once, in order', async () => {
      const faults: unknown[] = [];
      const tails = new Tails({ bus: faulty, recheckMs: 50, onError: (error) => faults.push(error) });
      const log = new MemoryFamily().log();
      const streams = Array.from({ length: 5 }, (_, index) =>
        follow(tails, log, { after: 0, ...(index % 2 === 0 ? {} : { filter: ['b'] }) }),
      );
      const ended = Promise.all(streams.map((stream) => pullTo(stream, 1_200)));
      for (let round = 0; round < 400; round++) {
        log.commit(2, 'a');
        log.commit(1, 'b');
        ends.publisher.publish({ topics: [], log: log.key, head: log.items.length });
        await new Promise((resolve) => (round % 10 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)));
      }
      const seen = (await ended).map(numbers);
      seen.forEach((found, index) => {
        const all = span(1, 1_200);
        expect(found).toEqual(index % 2 === 0 ? all : all.filter((number) => number % 3 === 0));
      });
      expect(faults).toEqual([]);
      await Promise.all(streams.map((stream) => stream.return?.()));
      expect(tails.size).toBe(0);
    });

    it('tells of each change of a list, or to list again after it', async () => {
      const signals = watch(faulty, ['account:1'], { resyncMs: 50 });
      const due = new Set<string>();
      for (let change = 0; change < 200; change++) {
        due.add(`session:${change % 50}`);
        ends.publisher.publish({ topics: ['account:1'], log: `session:${change % 50}`, head: change });
      }
      while (due.size > 0) {
        const { value } = await signals.next();
        if (value === undefined) throw new Error('Expected a signal, got the end.');
        if ('resync' in value) due.clear();
        else due.delete(value.key);
      }
      // A resync that came first stands for what was heard before it only; what came later is told once more, late as it is.
      ends.publisher.publish({ topics: ['account:1'], log: 'session:last', head: 1 });
      for (let told = false; !told; ) {
        const { value } = await signals.next();
        told = value !== undefined && ('resync' in value || value.key === 'session:last');
      }
      await signals.return?.();
      expect(faulty.listeners).toBe(0);
    });
  });
}
