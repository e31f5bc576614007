import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

const TERMINATE = 'X'.charCodeAt(0);

/**
 * The socket that `pg` would open, as a stream to the embedded database's thread: whole messages of PostgreSQL's protocol go there, its
 * answers come back. It has the few methods of a socket that `pg` calls.
 */
export class EngineConnection extends Duplex {
  #unsent: Buffer = Buffer.alloc(0);
  #greeted = false;

  constructor(private readonly port: MessagePort) {
    super();
    port.on('message', (data: Uint8Array<ArrayBuffer>) => {
      this.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    });
    port.once('close', () => this.destroy());
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.port.ref();
    return this;
  }

  unref(): this {
    this.port.unref();
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(chunk);
    done();
  }

  // `pg` corks the messages of one statement: they come, and go on, together.
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.port.close();
    done(error);
  }

  #send(chunk: Buffer): void {
    const bytes = this.#unsent.length === 0 ? chunk : Buffer.concat([this.#unsent, chunk]);
    const whole = this.#wholeMessages(bytes);
    this.#unsent = bytes.subarray(whole);
    // Terminate comes alone, and last. It is not for the engine, which serves the next connection too.
    if (whole > 0 && bytes[0] !== TERMINATE) this.port.postMessage(new Uint8Array(bytes.subarray(0, whole)));
  }

  /** How many of the bytes are whole messages: a type, except in the first, then the length of the rest with its own four bytes. */
  #wholeMessages(bytes: Buffer): number {
    let end = 0;
    for (;;) {
      const type = this.#greeted ? 1 : 0;
      if (bytes.length < end + type + 4) return end;
      const next = end + type + bytes.readInt32BE(end + type);
      if (bytes.length < next) return end;
      this.#greeted = true;
      end = next;
    }
  }
}
