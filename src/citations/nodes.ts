import type { CitationRow, SourceAsSent, SourceRow } from './store.js';

/** What the schema's Source shows: a citation's source as its event sent it, or what the session knows. */
export interface SourceNode {
  readonly sessionId: string;
  readonly sourceRef: string;
  /** The citation whose source it is; null: the session's. */
  readonly citation: { readonly eventNumber: number; readonly citationId: string } | null;
  readonly fields: SourceAsSent | SourceRow;
  /** As the session knows it, also under a citation that came before the verdict. */
  readonly fullTextAvailable: boolean | null;
}

/** What the schema's Citation shows. */
export interface CitationNode {
  readonly citationId: string;
  readonly reference: string | null;
  readonly quote: string;
  readonly source: SourceNode;
}

export const toCitationNode = (row: CitationRow): CitationNode => ({
  citationId: row.citationId,
  reference: row.reference,
  quote: row.quote,
  source: {
    sessionId: row.sessionId,
    sourceRef: row.sourceRef,
    citation: { eventNumber: row.eventNumber, citationId: row.citationId },
    fields: row.source,
    fullTextAvailable: row.fullTextAvailable,
  },
});

export const toSourceNode = (row: SourceRow): SourceNode => ({
  sessionId: row.sessionId,
  sourceRef: row.sourceRef,
  citation: null,
  fields: row,
  fullTextAvailable: row.fullTextAvailable,
});
