import { type BenchOptions, median, messageOf, openBenchHouse } from './house.js';

const EVENTS = 10_000;
const PAGE = 200;
const BYTES = 300;

const QUERY = `query ($sessionId: ID!, $after: String) {
  session(sessionId: $sessionId) {
    events(first: ${PAGE}, after: $after) {
      nodes { ... on AgentMessageEvent { eventId createdAt text } } pageInfo { hasNextPage endCursor }
    }
  }
}`;

interface Page {
  readonly nodes: readonly object[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

/** What a page of 200 events costs at each depth of a session of 10,000, over HTTP. */
export async function pages({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  try {
    for (let from = 0; from < EVENTS; from += 500) {
      await house.append(Array.from({ length: 500 }, (_, index) => messageOf(`e${from + index + 1}`, BYTES)));
    }
    const walks = quick ? 3 : 30;
    const times: number[][] = [];
    for (let walk = 0; walk <= walks; walk++) {
      const walked = await timeWalk(house);
      // The first is for the just-in-time compiler.
      if (walk > 0)
        for (const [place, time] of walked.entries()) times[place] = [...(times[place] ?? []), time];
    }
    report(house.kind, walks, times.map(median));
  } finally {
    await house.close();
  }
}

/** Milliseconds of each page, from the first to the last. */
async function timeWalk({ url, token, sessionId }: Awaited<ReturnType<typeof openBenchHouse>>) {
  const times: number[] = [];
  let seen = 0;
  let after: string | undefined;
  do {
    const begun = performance.now();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: QUERY, variables: { sessionId, after } }),
    });
    const { data } = (await response.json()) as { data: { session: { events: Page } } };
    times.push(performance.now() - begun);
    const { nodes, pageInfo } = data.session.events;
    seen += nodes.length;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
  } while (after !== undefined);
  if (seen !== EVENTS) throw new Error(`Expected ${EVENTS} events, got ${seen}.`);
  return times;
}

function report(kind: string, walks: number, medians: readonly number[]): void {
  const [first = Number.NaN, last = Number.NaN] = [medians.at(0), medians.at(-1)];
  const shown = (place: number) => `${medians[place]?.toFixed(1)} ms`;
  const places = [
    0,
    1,
    medians.length >> 2,
    medians.length >> 1,
    (medians.length * 3) >> 2,
    medians.length - 1,
  ];
  console.log(`${EVENTS} events in pages of ${PAGE}, ${kind}, median of ${walks} walks`);
  for (const place of places)
    console.log(`  page ${String(place + 1).padStart(2)}  ${shown(place).padStart(9)}`);
  console.log(`  last / first  ${(last / first).toFixed(2)}`);
}
