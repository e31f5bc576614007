/** A body as it comes: Node's streams are async iterables, which the DOM's types do not know. */
export function chunksOf({ body }: Response): AsyncIterable<Uint8Array> {
  if (body === null) throw new Error('Expected a body.');
  return body as unknown as AsyncIterable<Uint8Array>;
}
