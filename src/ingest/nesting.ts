/** Follows JSON by its brackets and strings, character by character; whether it is JSON is for the parser. */
export class Nesting {
  /** How many brackets are open. */
  depth = 0;
  /** Whether the next character is one of a string. */
  inString = false;
  #escaped = false;

  follow(char: string): void {
    if (this.inString) {
      if (this.#escaped) this.#escaped = false;
      else if (char === '\\') this.#escaped = true;
      else if (char === '"') this.inString = false;
    } else if (char === '"') this.inString = true;
    else if (char === '{' || char === '[') this.depth++;
    else if (char === '}' || char === ']') this.depth = Math.max(0, this.depth - 1);
  }
}
