import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import type { DocumentLimits } from '../config.js';
import { refuseLargeDocument } from './document-size.js';
import { refuseSprawlingDocument } from './document-spread.js';
import { coded, NOT_EXECUTED } from './errors.js';
import { refuseLargeIntrospection } from './introspection.js';
import { UnconditionalSubscriptionRule } from './subscription-rule.js';
import type { Turns } from './turns.js';

/** Characters of the longest document that is kept. What clients repeat is short; what has its values inlined does not come again. */
const MAX_KEPT = 16 * 1024;

/** Characters of all that are kept. A parsed document takes about 55 bytes a character, at worst 250. */
const MAX_ALL_KEPT = 256 * 1024;

/** Faults that are told of a document; looking for more would cost the more, the worse it is. */
const MAX_FAULTS = 10;

export interface DocumentOptions {
  readonly limits: DocumentLimits;
  /** Whether documents may ask about the schema. */
  readonly introspection: boolean;
  /** Whether a fault may say what was perhaps meant, which tells of the schema too. */
  readonly suggestions: boolean;
}

/** What is wrong with a document, by the specification of GraphQL. */
export class FaultyDocument extends Error {
  override readonly name = 'FaultyDocument';

  constructor(readonly errors: readonly GraphQLError[]) {
    super('The document has faults.');
  }
}

/** Parses and validates documents at a bounded cost, and keeps valid ones that may come again, the latest used the longest. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #turns: Turns;
  readonly #options: DocumentOptions;
  readonly #rules: readonly ValidationRule[];
  /** By source, the least recently used first. */
  readonly #kept = new Map<string, DocumentNode>();
  #size = 0;

  constructor(schema: GraphQLSchema, turns: Turns, options: DocumentOptions) {
    this.#schema = schema;
    this.#turns = turns;
    this.#options = options;
    this.#rules = options.introspection
      ? specifiedRules
      : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  }

  /** Characters of the documents that are kept. */
  get size(): number {
    return this.#size;
  }

  /**
   * The document, valid. One that is not kept waits for its turn among those of others.
   * @throws FaultyDocument; QUERY_TOO_COMPLEX; TIMEOUT when too many wait.
   */
  async read(source: string, who: string): Promise<DocumentNode> {
    return this.#recall(source) ?? (await this.#turns.take(who, () => this.#read(source)));
  }

  #recall(source: string): DocumentNode | undefined {
    const kept = this.#kept.get(source);
    if (kept === undefined) return undefined;
    this.#kept.delete(source);
    this.#kept.set(source, kept);
    return kept;
  }

  #read(source: string): DocumentNode {
    // Another of the same may have come first.
    const kept = this.#recall(source);
    if (kept !== undefined) return kept;
    refuseLargeDocument(source, this.#options.limits);
    const document = parsed(source);
    refuseSprawlingDocument(document, this.#options.limits);
    this.#refuseFaulty(document, [UnconditionalSubscriptionRule]);
    this.#refuseFaulty(document, this.#rules);
    refuseLargeIntrospection(this.#schema, document);
    this.#keep(source, document);
    return document;
  }

  #refuseFaulty(document: DocumentNode, rules: readonly ValidationRule[]): void {
    const options = { maxErrors: MAX_FAULTS, hideSuggestions: !this.#options.suggestions };
    const faults = validate(this.#schema, document, rules, options);
    if (faults.length === 0) return;
    throw new FaultyDocument(faults.map((fault) => coded(fault, 'GRAPHQL_VALIDATION_FAILED', NOT_EXECUTED)));
  }

  #keep(source: string, document: DocumentNode): void {
    if (source.length > MAX_KEPT) return;
    this.#kept.set(source, document);
    this.#size += source.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MAX_ALL_KEPT) break;
      this.#kept.delete(oldest);
      this.#size -= oldest.length;
    }
  }
}

function parsed(source: string): DocumentNode {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new FaultyDocument([coded(error, 'GRAPHQL_PARSE_FAILED', NOT_EXECUTED)]);
  }
}
