import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  type ValidationRule,
  validate,
} from 'graphql';
import { refuseLargeDocument } from './document-size.js';
import { refuseSprawlingDocument } from './document-spread.js';
import { coded } from './errors.js';
import { UnconditionalSubscriptionRule } from './subscription-rule.js';

/** Characters of the longest document that is kept. What clients repeat is short; what has its values inlined does not come again. */
const MAX_KEPT = 16 * 1024;

/** Characters of all that are kept. A parsed document takes about 55 bytes a character, at worst 250. */
const MAX_ALL_KEPT = 256 * 1024;

/** Parses and validates documents at a bounded cost, and keeps valid ones that may come again, the latest used the longest. */
export class Documents {
  /** By source, the least recently used first. */
  readonly #kept = new Map<string, DocumentNode>();
  readonly #valid = new WeakSet<DocumentNode>();
  #size = 0;

  /** Characters of the documents that are kept. */
  get size(): number {
    return this.#size;
  }

  /** @throws GraphQLError for what is no GraphQL; QUERY_TOO_COMPLEX. */
  readonly parse = (source: string): DocumentNode => {
    const kept = this.#kept.get(source);
    if (kept !== undefined) {
      this.#kept.delete(source);
      this.#kept.set(source, kept);
      return kept;
    }
    refuseLargeDocument(source);
    const document = parse(source);
    refuseSprawlingDocument(document);
    return document;
  };

  /** The faults of a document that `parse` gave: none is what lets it be kept. Always with one schema and the same rules. */
  readonly validate = (
    schema: GraphQLSchema,
    document: DocumentNode,
    rules: readonly ValidationRule[],
  ): readonly GraphQLError[] => {
    if (this.#valid.has(document)) return [];
    const conditions = validate(schema, document, [UnconditionalSubscriptionRule]);
    const faults = conditions.length > 0 ? conditions : validate(schema, document, rules);
    if (faults.length === 0) this.#keep(document);
    return faults.map((fault) => coded(fault, 'GRAPHQL_VALIDATION_FAILED'));
  };

  #keep(document: DocumentNode): void {
    this.#valid.add(document);
    const source = document.loc?.source.body ?? '';
    if (source.length > MAX_KEPT || this.#kept.has(source)) return;
    this.#kept.set(source, document);
    this.#size += source.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MAX_ALL_KEPT) break;
      this.#kept.delete(oldest);
      this.#size -= oldest.length;
    }
  }
}
