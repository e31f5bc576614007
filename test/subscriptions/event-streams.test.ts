import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { activity, type House, openHouse } from '../events/house.js';
import { eventually } from './eventually.js';
import { eventIds, follow, named, pullTo, type Result, SESSION_EVENTS, updateOf } from './streams.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('a session followed by event stream', () => {
  it('comes to the official client as over WebSocket: replayed, then live', async () => {
    const sessionId = await house.newSession(250);
    const client = createClient({
      url: `${house.url}/graphql`,
      headers: { authorization: `Bearer ${house.tokens.member}` },
      retryAttempts: 0,
    });
    const stream = client.iterate<NonNullable<Result['data']>>({
      query: SESSION_EVENTS,
      variables: { sessionId },
    });
    const webSocket = follow(house, { sessionId });
    const [replayed] = await Promise.all([stream, webSocket].map((each) => pullTo(each, sessionId, 250)));
    expect(eventIds(replayed ?? [])).toEqual(named(1, 250));
    for (let number = 251; number <= 260; number++) {
      await house.append(sessionId, [activity(`e${number}`)]);
      const [live, other] = await Promise.all([stream.next(), webSocket.next()]);
      expect(updateOf(live.value)).toEqual(updateOf(other.value));
      expect(eventIds([updateOf(live.value)])).toEqual([`e${number}`]);
    }
    client.dispose();
    await webSocket.return?.();
    await eventually(() => expect(house.means.tails.size).toBe(0));
  });

  it('is uncached, unbuffered, and says every 15 s at the latest that it is there (case 32)', async () => {
    const sessionId = await house.newSession();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const response = await fetch(`${house.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${house.tokens.member}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: SESSION_EVENTS, variables: { sessionId } }),
      });
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('event: next')) text += (await reader?.read())?.value;
      for (let minute = 0; minute < 3; minute++) {
        vi.advanceTimersByTime(15_000);
        expect((await reader?.read())?.value).toBe(':\n\n');
      }
      await reader?.cancel();
    } finally {
      vi.useRealTimers();
    }
    await eventually(() => expect(house.means.tails.size).toBe(0));
  });
});
