import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvents } from '../../src/client/server-sent-events.js';

async function eventsOf(bytes: Uint8Array, size: number) {
  async function* chunks() {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  const events = [];
  for await (const event of readEvents(chunks())) events.push(event);
  return events;
}

it('an event stream gives the same events however it is cut, without what is no event and what was cut off', async () => {
  const text =
    ':\n\nevent: next\ndata: {"a":"é\u{1f30d}"}\n\n:\n\nevent: next\r\ndata:x\r\ndata: y\r\n\r\nid: 3\ndata\n\nevent: complete\n\ndata: cut';
  const expected = [
    { event: 'next', data: '{"a":"é\u{1f30d}"}' },
    { event: 'next', data: 'x\ny' },
    { event: 'message', data: '' },
  ];
  const bytes = new TextEncoder().encode(text);
  const cut = fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (size) => {
    expect(await eventsOf(bytes, size)).toEqual(expected);
  });
  await fc.assert(cut);
});
