import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bus, Hint } from '../../src/live/bus.js';

/** Two ends of one bus: of two processes, or twice the same where there is only one. */
export interface BusEnds {
  readonly publisher: Bus;
  readonly subscriber: Bus;
  /** What the subscriber's end reported. */
  readonly faults: readonly unknown[];
  close(): Promise<void>;
}

const PATIENTLY = { timeout: 30_000 };

/** What every bus does. Hints may take their time: the tests wait for the last one that they sent. */
export function busSuite(name: string, open: () => Promise<BusEnds>): void {
  describe(name, () => {
    let ends: BusEnds;
    beforeEach(async () => {
      ends = await open();
    });
    afterEach(() => ends.close());

    const hint = (head: number, log = 'log:1', topics: readonly string[] = []): Hint => ({
      topics,
      log,
      head,
    });

    function record(topic: string): { heard: Hint[]; leave: () => void } {
      const heard: Hint[] = [];
      return { heard, leave: ends.subscriber.subscribe(topic, (hint) => heard.push(hint)) };
    }

    /** Everything published before this has arrived, or never will. */
    async function quiet(): Promise<void> {
      const { heard, leave } = record('suite:mark');
      ends.publisher.publish(hint(1, 'suite:mark'));
      await vi.waitFor(() => expect(heard).toHaveLength(1), PATIENTLY);
      leave();
    }

    it('brings a hint to those who subscribed to its log, as it was sent', async () => {
      const { heard } = record('log:1');
      ends.publisher.publish(hint(7, 'log:1', ['account:1', 'organization:2']));
      await vi.waitFor(
        () => expect(heard).toEqual([hint(7, 'log:1', ['account:1', 'organization:2'])]),
        PATIENTLY,
      );
    });

    it('brings a hint to those who subscribed to one of its topics', async () => {
      const [account, organization, other] = [
        record('account:1'),
        record('organization:2'),
        record('account:3'),
      ];
      ends.publisher.publish(hint(1, 'log:1', ['account:1', 'organization:2']));
      await quiet();
      expect(account.heard).toHaveLength(1);
      expect(organization.heard).toHaveLength(1);
      expect(other.heard).toEqual([]);
    });

    it('brings a hint once, even if the log is also named among the topics', async () => {
      const { heard } = record('log:1');
      ends.publisher.publish(hint(1, 'log:1', ['log:1', 'account:1', 'account:1']));
      await quiet();
      expect(heard).toHaveLength(1);
    });

    it('keeps the order of one publisher, and brings the last of each log', async () => {
      const { heard } = record('account:1');
      const logs = ['log:1', 'log:2', 'log:3'];
      for (let head = 1; head <= 100; head++) {
        for (const log of logs) ends.publisher.publish(hint(head, log, ['account:1']));
      }
      await quiet();
      for (const log of logs) {
        const heads = heard.filter((each) => each.log === log).map(({ head }) => head);
        expect(heads).toEqual([...new Set(heads)].sort((a, b) => a - b));
        expect(heads.at(-1)).toBe(100);
      }
    });

    it('tells each of the topics of one log that were named one after the other', async () => {
      const [first, second] = [record('account:1'), record('account:2')];
      ends.publisher.publish(hint(1, 'log:1', ['account:1']));
      ends.publisher.publish(hint(2, 'log:1', ['account:2']));
      await quiet();
      expect([first.heard, second.heard]).toEqual([
        [hint(1, 'log:1', ['account:1'])],
        [hint(2, 'log:1', ['account:2'])],
      ]);
    });

    it('carries thousands of hints that come at once', async () => {
      const { heard } = record('account:1');
      for (let log = 0; log < 4_000; log++) ends.publisher.publish(hint(1, `log:${log}`, ['account:1']));
      await quiet();
      expect(new Set(heard.map(({ log }) => log)).size).toBe(4_000);
    });

    it('says whether it is connected', async () => {
      await vi.waitFor(() => expect(ends.subscriber.connected).toBe(true));
    });

    it('tells every listener of a topic, the same function as often as it subscribed', async () => {
      const listener = vi.fn();
      const leaves = [
        ends.subscriber.subscribe('log:1', listener),
        ends.subscriber.subscribe('log:1', listener),
      ];
      ends.publisher.publish(hint(1));
      await quiet();
      expect(listener).toHaveBeenCalledTimes(2);
      leaves[0]?.();
      ends.publisher.publish(hint(2));
      await quiet();
      expect(listener).toHaveBeenCalledTimes(3);
    });

    it('goes on to the other listeners after one that throws, and reports it', async () => {
      const before = record('log:1');
      const leave = ends.subscriber.subscribe('log:1', () => {
        throw new Error('a listener at fault');
      });
      const after = record('log:1');
      expect(() => ends.publisher.publish(hint(1))).not.toThrow();
      await quiet();
      expect([before.heard.length, after.heard.length]).toEqual([1, 1]);
      expect(ends.faults.map(String)).toEqual([expect.stringContaining('a listener at fault')]);
      leave();
    });

    it('calls nobody who has left, not even one who leaves while the hint is being told', async () => {
      const leaves: (() => void)[] = [];
      const second = vi.fn();
      ends.subscriber.subscribe('log:1', () => {
        for (const leave of leaves) leave();
      });
      leaves.push(ends.subscriber.subscribe('log:1', second));
      ends.publisher.publish(hint(1));
      await quiet();
      expect(second).not.toHaveBeenCalled();
    });

    it('tells one who leaves and joins again inside its listener once for each hint', async () => {
      let calls = 0;
      const join = (): (() => void) => {
        const leave = ends.subscriber.subscribe('log:1', () => {
          calls += 1;
          leave();
          join();
        });
        return leave;
      };
      join();
      record('log:1');
      ends.publisher.publish(hint(1));
      await quiet();
      expect(calls).toBe(1);
    });

    it('lets one leave twice without harm to others', async () => {
      const first = record('log:1');
      first.leave();
      const second = record('log:1');
      first.leave();
      ends.publisher.publish(hint(1));
      await quiet();
      expect([first.heard.length, second.heard.length]).toEqual([0, 1]);
    });

    it('carries the longest names that there are', async () => {
      const log = `log:${'é'.repeat(512)}`;
      const topics = [`account:${'x'.repeat(512)}`, `organization:${'y'.repeat(512)}`];
      const { heard } = record(log);
      ends.publisher.publish(hint(2 ** 31 - 1, log, topics));
      await vi.waitFor(() => expect(heard).toEqual([hint(2 ** 31 - 1, log, topics)]), PATIENTLY);
    });

    it('holds no listener once all have left', async () => {
      for (let cycle = 0; cycle < 1_000; cycle++) record(`log:${cycle % 7}`).leave();
      ends.subscriber.onReconnect(() => {})();
      await quiet();
      expect(ends.subscriber.listeners).toBe(0);
    });

    it('is silent once it is closed', async () => {
      const { heard } = record('log:1');
      await ends.subscriber.close();
      await ends.publisher.close();
      await ends.publisher.close();
      expect(() => ends.publisher.publish(hint(1))).not.toThrow();
      expect(() => record('log:1')).not.toThrow();
      expect(heard).toEqual([]);
      expect(ends.subscriber.listeners).toBe(0);
    });
  });
}
