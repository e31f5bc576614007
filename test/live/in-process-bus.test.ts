import { expect, it } from 'vitest';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { busFaultSuite } from './bus-fault-suite.js';
import { busSuite } from './bus-suite.js';

const open = () => {
  const faults: unknown[] = [];
  const bus = new InProcessBus((error) => faults.push(error));
  const close = () => bus.close();
  return Promise.resolve({ publisher: bus, subscriber: bus, faults, close });
};

busSuite('the bus in a process', open);
busFaultSuite('the bus in a process', open);

it('tells before publish returns', () => {
  const bus = new InProcessBus(() => {});
  const heard: number[] = [];
  bus.subscribe('log:1', ({ head }) => heard.push(head));
  bus.publish({ topics: [], log: 'log:1', head: 3 });
  expect(heard).toEqual([3]);
});
