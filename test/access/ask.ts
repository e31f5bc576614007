import { chunksOf } from '../chunks.js';
import type { Reply, TestGateway } from '../gateway.js';

export interface Asked {
  readonly status: number;
  /** The body as it came; of a subscription the first update. */
  readonly text: string;
  readonly body: Reply<Readonly<Record<string, unknown>>>['body'];
}

/** Asks over HTTP; a subscription for its first update, by server-sent events. */
export async function ask(
  { url }: Pick<TestGateway, 'url'>,
  token: string | undefined,
  query: string,
  variables: object = {},
): Promise<Asked> {
  const leave = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: query.startsWith('subscription') ? 'text/event-stream' : 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
    signal: leave.signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? await firstUpdate(response) : await response.text();
  leave.abort();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function firstUpdate(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(response)) {
    text += decoder.decode(chunk, { stream: true });
    const data = /^event: next\ndata: (.*)\n\n/m.exec(text)?.[1];
    if (data !== undefined) return data;
  }
  throw new Error(`Expected an update, got ${text}`);
}
