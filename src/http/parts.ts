import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Authority } from '../accounts/authority.js';
import type { Operation } from '../accounts/operation.js';
import type { Viewer } from '../accounts/viewer.js';
import type { Config } from '../config.js';
import type { Manifest } from '../graphql/persisted-documents.js';
import type { ToolTitles } from '../ingest/titles.js';
import type { Limits } from '../limits/limits.js';
import type { Renderings } from '../live/renderings.js';
import type { DemoAccess } from './graphiql/page.js';

/** What the doors need to know of the house. */
export interface HttpParts {
  readonly config: Pick<
    Config,
    | 'host'
    | 'metrics'
    | 'maxBody'
    | 'maxFrame'
    | 'maxLine'
    | 'documents'
    | 'origins'
    | 'introspection'
    | 'suggestions'
    | 'graphiql'
    | 'drainMs'
    | 'silenceMs'
    | 'fast'
    | 'maxCost'
    | 'operationTimeoutMs'
    | 'socketOperations'
    | 'socketSubscriptions'
  >;
  readonly schema: GraphQLSchema;
  /** What an operation works with, but for who asks. */
  readonly means: Omit<Operation, 'viewer'>;
  /** What subscribers are sent, each update rendered once for all who see the same. */
  readonly renderings: Renderings;
  /**
   * Who sent this `Authorization`.
   * @throws UNAUTHENTICATED, PLAN_UPGRADE_REQUIRED
   */
  readonly authenticate: (authorization: string | undefined) => Promise<Viewer>;
  /** Whether what is open may stay so. */
  readonly authority: Pick<Authority, 'watch' | 'viewerOf'>;
  /** How often anybody may ask. */
  readonly limits: Omit<Limits, 'close'>;
  /** The base of every URL that the API shows, without a slash at the end. */
  readonly publicUrl: string;
  /** What may be told of the tools in raw streams. */
  readonly titles: ToolTitles;
  /** The only documents that run; without it all may. */
  readonly persisted?: Manifest | undefined;
  /** What GraphiQL is given on this machine, while there is a demo. */
  readonly demo?: DemoAccess | undefined;
  readonly log: Logger;
}

/** What a raw stream's way in needs of them. */
export type IngestParts = Pick<HttpParts, 'means' | 'titles'> & {
  readonly config: Pick<HttpParts['config'], 'maxLine' | 'silenceMs'>;
  /** Absent for what an operator brings, which no credential speaks for. */
  readonly authority?: Pick<Authority, 'watch'>;
};
