export const COMMA = 0x2c;
export const CLOSE_BRACKET = 0x5d;
export const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Follows JSON by its brackets and strings, byte by byte, for UTF-8 has theirs in no other character; whether it is JSON is for the
 * parser.
 */
export class Nesting {
  /** How many brackets are open. */
  depth = 0;
  /** Whether the next byte is one of a string. */
  inString = false;
  #escaped = false;

  follow(byte: number): void {
    if (this.inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.inString = false;
    } else if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth = Math.max(0, this.depth - 1);
  }
}
