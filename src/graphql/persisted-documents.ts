import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { badUserInput, DomainError, forbidden } from '../errors.js';
import { isObject, type JsonObject } from '../parse.js';
import type { Documents } from './documents.js';

/** Documents by what clients call them: their hash, as a rule. */
export type Manifest = ReadonlyMap<string, string>;

/** Characters of all documents that clients have sent with their hash, and of the longest that is kept so. */
const MAX_ALL_KEPT = 1024 * 1024;
const MAX_KEPT = 64 * 1024;

/** What a request says of its document, as it came. */
export interface AskedDocument {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

interface ReadDocument {
  readonly source: string;
  readonly document: DocumentNode;
}

/**
 * Documents that need not be sent: a client names one by its hash. With a manifest nothing else runs. Without one, a hash that is not known
 * is answered with PERSISTED_QUERY_NOT_FOUND, whereupon the client sends the document along with it (automatic persisted queries, as
 * Apollo's and urql's clients do); it is kept only when it is good, the latest used the longest.
 */
export class PersistedDocuments {
  readonly #documents: Documents;
  readonly #manifest: Manifest | undefined;
  readonly #ofManifest: ReadonlySet<string>;
  readonly #kept = new LRUCache<string, string>({
    maxSize: MAX_ALL_KEPT,
    sizeCalculation: ({ length }) => length,
  });

  constructor(documents: Documents, manifest: Manifest | undefined) {
    this.#documents = documents;
    this.#manifest = manifest && new Map([...manifest].map(([hash, source]) => [plain(hash), source]));
    this.#ofManifest = new Set(manifest?.values());
  }

  /** Characters of the documents that clients have sent with their hash. */
  get size(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * What is asked for; undefined when the request names no document at all.
   * @throws PERSISTED_QUERY_NOT_FOUND; FORBIDDEN for what is not in the manifest; BAD_USER_INPUT; what reading it throws.
   */
  async read(asked: AskedDocument, who: string): Promise<ReadDocument | undefined> {
    const hash = hashOf(asked);
    const query = typeof asked.query === 'string' && asked.query !== '' ? asked.query : undefined;
    const source = this.#manifest === undefined ? (query ?? this.#recall(hash)) : this.#listed(hash, query);
    if (source === undefined) return undefined;
    const document = await this.#documents.read(source, who);
    if (hash !== undefined && query !== undefined && this.#manifest === undefined) this.#keep(hash, source);
    return { source, document };
  }

  #recall(hash: string | undefined): string | undefined {
    if (hash === undefined) return undefined;
    const kept = this.#kept.get(hash);
    if (kept === undefined) throw unknownHash();
    return kept;
  }

  #listed(hash: string | undefined, query: string | undefined): string | undefined {
    if (hash !== undefined) {
      const listed = this.#manifest?.get(hash);
      if (listed === undefined) throw unknownHash();
      return listed;
    }
    if (query === undefined || this.#ofManifest.has(query)) return query;
    throw forbidden(
      'Expected a document of the manifest of this server, got another. Others do not run here.',
    );
  }

  /** Only after it was found good: hashing costs no more than reading did, and what is bad takes no memory. */
  #keep(hash: string, source: string): void {
    if (this.#kept.get(hash) === source) return;
    if (createHash('sha256').update(source).digest('hex') !== hash) {
      throw badUserInput(`${HASH}: expected the SHA-256 of the document in hexadecimal, got another.`, {
        path: HASH,
      });
    }
    if (source.length <= MAX_KEPT) this.#kept.set(hash, source);
  }
}

const HASH = 'extensions.persistedQuery.sha256Hash';

/** `documentId` of GraphQL over HTTP, or Apollo's extension. */
function hashOf({ documentId, extensions }: AskedDocument): string | undefined {
  if (typeof documentId === 'string') return plain(documentId);
  if (!isNothing(documentId)) throw badUserInput('documentId: expected text.', { path: 'documentId' });
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  if (isNothing(persisted)) return undefined;
  const hash = isObject(persisted) ? firstVersion(persisted) : undefined;
  if (typeof hash === 'string') return hash.toLowerCase();
  throw badUserInput(`${HASH}: expected text, with version 1.`, { path: HASH });
}

/** The generator writes the algorithm in front, and so does GraphQL over HTTP. */
const plain = (hash: string): string => hash.replace(/^sha256:/, '');

const firstVersion = ({ version, sha256Hash }: JsonObject): unknown =>
  version === 1 ? sha256Hash : undefined;

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/** Clients look for this text. */
const unknownHash = () => new DomainError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
