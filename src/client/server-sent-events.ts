export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** The events in a stream of bytes (HTML, 9.2.6), but for what nobody here sends: ids, and how long to wait. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  let event = 'message';
  let data: string[] = [];
  for await (const line of readLines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = 'message';
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
}

/** Whole lines; what the last one lacks an end of was cut. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // In pieces: a long line that came in many would be copied for each.
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(first);
    for (const next of rest) {
      yield pieces.join('').replace(/\r$/, '');
      pieces = [next];
    }
  }
}
