import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syntheticStream } from './synthetic-stream.js';

/** What the process that sends a stream is told to do. */
export interface SendOrder {
  /** Of the door, with its query. */
  readonly url: string;
  readonly token: string;
  readonly bytes: number;
  readonly name: string;
}

export interface SendReport {
  readonly accepted: number;
  /** From the connection to the answer. The stream was made before. */
  readonly ms: number;
}

async function send({ url, token, bytes, name }: SendOrder): Promise<SendReport> {
  const blocks = [...blocksOf(syntheticStream(bytes, name))];
  const begun = performance.now();
  const upload = request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  const answer = new Promise<{ readonly accepted: number }>((resolve, reject) => {
    upload.once('error', reject).once('response', async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`Expected 200, got ${response.statusCode}: ${text.slice(0, 500)}`));
    });
  });
  await pipeline(Readable.from(blocks), upload);
  const { accepted } = await answer;
  return { accepted, ms: performance.now() - begun };
}

/** As a proxy would pass it on: more than one message at a time. */
function* blocksOf(messages: Iterable<string>): Generator<Buffer> {
  let block = '';
  for (const message of messages) {
    block += message;
    if (block.length < 65_536) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

process.on('message', (order: SendOrder) => {
  send(order).then(
    (report) => process.send?.(report),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
