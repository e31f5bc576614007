import { expect, it } from 'vitest';
import { REDIS_MAX_BYTES, redisWire } from '../../src/live/redis-wire.js';
import { countResources, expectReleased } from '../resources.js';
import { busFaultSuite } from './bus-fault-suite.js';
import { busSuite } from './bus-suite.js';
import { openRemoteEnds } from './remote-ends.js';

/** A number of its own on a Redis that others may use: what they say is heard by them alone. */
function numbered(number: number): string {
  const url = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
  url.pathname = `/${number}`;
  return url.href;
}

const openNumbered = (number: number) => openRemoteEnds(redisWire(numbered(number)), REDIS_MAX_BYTES);
const open = () => openNumbered(7);

busSuite("Redis's bus", open);
busFaultSuite("Redis's bus", open);

it('is apart from the bus of another number, and leaves nothing open', async () => {
  const before = countResources();
  const [mine, other] = [await open(), await openNumbered(8)];
  const heard: number[] = [];
  for (const bus of [mine.subscriber, other.subscriber])
    bus.subscribe('log:1', ({ head }) => heard.push(head));
  mine.publisher.publish({ topics: [], log: 'log:1', head: 1 });
  other.publisher.publish({ topics: [], log: 'log:1', head: 2 });
  const last = new Promise<void>((resolve) => {
    let left = 2;
    for (const bus of [mine.subscriber, other.subscriber]) {
      bus.subscribe('log:2', () => {
        left -= 1;
        if (left === 0) resolve();
      });
    }
  });
  for (const bus of [mine.publisher, other.publisher]) bus.publish({ topics: [], log: 'log:2', head: 1 });
  await last;
  expect(heard.sort()).toEqual([1, 2]);
  await Promise.all([mine.close(), other.close()]);
  await expectReleased(before);
});
