import { get, type IncomingMessage } from 'node:http';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { GOOD, openDoors, steady, type TestDoors } from './doors.js';

let doors: TestDoors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors.close());

const headers = { authorization: GOOD, accept: 'text/event-stream', 'content-type': 'application/json' };

const subscribe = (query: string, signal?: AbortSignal) =>
  fetch(doors.graphql, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });

describe('an event stream', () => {
  it('is uncached, unbuffered and ends with complete', async () => {
    const response = await subscribe('subscription { count(to: 2) { number } }');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(await response.text()).toBe(
      [
        ':\n\n',
        'event: next\ndata: {"data":{"count":{"number":1}}}\n\n',
        'event: next\ndata: {"data":{"count":{"number":2}}}\n\n',
        'event: complete\ndata:\n\n',
      ].join(''),
    );
    expect(doors.streams.open).toBe(0);
  });

  it('is read by the official client', async () => {
    const client = createClient({ url: doors.graphql, headers: { authorization: GOOD }, retryAttempts: 0 });
    const updates: unknown[] = [];
    for await (const update of client.iterate({ query: 'subscription { count(to: 3) { number } }' }))
      updates.push(update);
    expect(updates).toEqual([1, 2, 3].map((number) => ({ data: { count: { number } } })));
    client.dispose();
  });

  it('goes on behind an update that fails, and masks it', async () => {
    const text = await (await subscribe('subscription { count(to: 4) { notThree } }')).text();
    const updates = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
    expect(updates.map(({ data }) => data.count?.notThree)).toEqual([1, 2, null, 4]);
    expect(updates[2].errors).toMatchObject([
      { path: ['count', 'notThree'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(text).not.toContain('secret');
  });

  it('that is refused says so with its code', async () => {
    const text = await (await subscribe('subscription { refused }')).text();
    expect(text).toContain('"code":"NOT_FOUND"');
    expect(text).not.toContain('"http"');
    expect(text).toContain('event: complete');
  });

  it('is let go when its reader leaves', async () => {
    const leave = new AbortController();
    const response = await subscribe('subscription { count(to: 1, stays: true) { number } }', leave.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    await vi.waitFor(() => expect(doors.streams.open).toBe(1));
    leave.abort();
    await vi.waitFor(() => expect(doors.streams.open).toBe(0));
  });

  it('is never begun for a reader that left before it could', async () => {
    const pulled = doors.streams.pulled;
    const leave = new AbortController();
    const response = subscribe('subscription { late }', leave.signal);
    await vi.waitFor(() => expect(doors.streams.waiting).toHaveLength(1));
    leave.abort();
    await expect(response).rejects.toThrow();
    // The server hears of it behind this answer, on a connection of its own.
    await doors.post('{ hello }');
    doors.streams.waiting.pop()?.();
    await doors.post('{ hello }');
    expect(doors.streams.pulled).toBe(pulled);
  });

  it('answers a query too, without naming an encoding', async () => {
    const response = await subscribe('{ hello }');
    expect(response.headers.get('content-encoding')).toBe(null);
    expect(await response.text()).toContain('data: {"data":{"hello":"Hello you"}');
  });

  it('pulls no more than its reader reads', async () => {
    const before = doors.streams.pulled;
    const query = encodeURIComponent('subscription { count(to: 300, bytes: 100000) { padding } }');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${doors.graphql}?query=${query}`, { headers, agent: false }, resolve).once('error', reject);
    });
    // Paused: the kernel's buffers fill, then nothing is asked for any more.
    response.pause();
    await steady(() => doors.streams.pulled);
    expect(doors.streams.pulled - before).toBeLessThan(200);
    const text = await response.setEncoding('utf8').toArray();
    expect(text.join('').split('event: next')).toHaveLength(301);
  });

  it('says every now and then that it is there', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const response = await subscribe('subscription { count(to: 0, stays: true) { number } }');
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).toBe(':\n\n');
      vi.advanceTimersByTime(15_000);
      expect((await reader?.read())?.value).toBe(':\n\n');
      await reader?.cancel();
    } finally {
      vi.useRealTimers();
    }
    await vi.waitFor(() => expect(doors.streams.open).toBe(0));
  });

  it('is cut, not completed, when the server closes', async () => {
    const closing = await openDoors();
    const response = await fetch(closing.graphql, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: 'subscription { count(to: 1, stays: true) { number } }' }),
    });
    const text = response.text();
    await vi.waitFor(() => expect(closing.streams.pulled).toBe(2));
    await Promise.all([closing.close(), expect(text).rejects.toThrow()]);
    expect(closing.streams.open).toBe(0);
  });
});
