import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { requestElicitation } from '../../src/elicitations/request.js';
import { type BenchOptions, median, openBenchHouse } from './house.js';

const CHANGES = `subscription { elicitationChanges(scope: ME) { edges { node {
  transition { to } elicitation { expiresAt } } } } }`;

interface Changes {
  readonly elicitationChanges: {
    readonly edges: readonly {
      readonly node: {
        readonly transition: { readonly to: string };
        readonly elicitation: { readonly expiresAt: string };
      };
    }[];
  };
}

/** How long after its time an elicitation that nobody reads is told of as expired, at the pace of a real server: 2 s are promised. */
export async function expiry({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  const asked = quick ? 100 : 1_000;
  const client = createClient({
    url: `${house.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${house.token}` },
  });
  const late: number[] = [];
  const stop = client.subscribe<Changes>(
    { query: CHANGES },
    {
      next: ({ data }) => {
        for (const { node } of data?.elicitationChanges.edges ?? []) {
          if (node.transition.to === 'EXPIRED')
            late.push(Date.now() - Date.parse(node.elicitation.expiresAt));
        }
      },
      error: (fault) => console.error(fault),
      complete: () => undefined,
    },
  );
  try {
    const { accountId } = house.operation.viewer;
    const from = Date.now() + (quick ? 3_000 : 15_000);
    for (let n = 0; n < asked; n++) {
      const expiresAt = new Date(from + Math.random() * 10_000);
      await requestElicitation(house.operation, { message: `Question ${n}`, accountId, expiresAt });
    }
    while (late.length < asked && Date.now() < from + 40_000) await sleep(200);
    console.log(`${late.length} of ${asked} elicitations told as expired, due within 10 s, ${house.kind}`);
    console.log(`  late by ${median(late)} ms at the median, ${Math.max(...late)} ms at most`);
  } finally {
    stop();
    await client.dispose();
    await house.close();
  }
}
