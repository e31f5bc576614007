import type { Operation } from '../accounts/operation.js';
import { defineLoader, rowByKey, rowsByKey } from '../database/loaders.js';
import { definePages } from '../sessions/part-pages.js';
import { type CitationNode, type SourceNode, toCitationNode, toSourceNode } from './nodes.js';
import {
  countCitationsOfSources,
  findAbstracts,
  findCitations,
  findCitationsOfSources,
  findCitedSources,
  findSources,
  type MessageKey,
  type SourceKey,
} from './store.js';

const messageKey = ({ sessionId, eventNumber }: MessageKey): string => `${sessionId}:${eventNumber}`;
const sourceKey = ({ sessionId, sourceRef }: SourceKey): string => `${sessionId}:${sourceRef}`;

const citationsOfMessage = defineLoader(
  async (keys: readonly MessageKey[], operation: Operation): Promise<CitationNode[][]> => {
    const rows = rowsByKey(keys.map(messageKey), await findCitations(operation, keys), messageKey);
    return rows.map((citations) => citations.map(toCitationNode));
  },
  { key: messageKey },
);

/** The citations of an event that the viewer was shown, in its writer's order; one statement for any number of events. */
export const citationsOf = (
  operation: Operation,
  sessionId: string,
  eventNumber: number,
): Promise<readonly CitationNode[]> => citationsOfMessage(operation).load({ sessionId, eventNumber });

/** What a session that the viewer was shown knows of a source, cited or not; null when it knows nothing. */
export const sourceOf = defineLoader(
  async (keys: readonly SourceKey[], operation: Operation): Promise<(SourceNode | null)[]> => {
    const rows = rowByKey(keys.map(sourceKey), await findSources(operation.database.prisma, keys), sourceKey);
    return rows.map((row) => row && toSourceNode(row));
  },
  { key: sourceKey },
);

/** A source's abstract, read only when it is selected. */
export const abstractOf = defineLoader(
  async (keys: readonly SourceKey[], operation: Operation): Promise<(string | null)[]> => {
    const rows = rowByKey(keys.map(sourceKey), await findAbstracts(operation, keys), sourceKey);
    return rows.map((row) => row?.abstract ?? null);
  },
  { key: sourceKey },
);

/** A stretch of a session's cited sources. */
export const citedSourcesOf = definePages(findCitedSources);

/** A stretch of the citations of a source. */
export const citationsOfSource = definePages(findCitationsOfSources);

/** How many of a session's first `upTo` citations cite a source; `upTo` is the head that the operation has read. */
export const citationCountOf = defineLoader(
  async (
    keys: readonly (SourceKey & { readonly upTo: number })[],
    operation: Operation,
  ): Promise<number[]> => {
    const counts = await countCitationsOfSources(operation, keys);
    return rowByKey(keys.map(sourceKey), counts, sourceKey).map((found) => found?.count ?? 0);
  },
  { key: sourceKey },
);
