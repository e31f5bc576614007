import type { Operation } from '../accounts/operation.js';
import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import { requireSession } from '../sessions/loaders.js';
import { formatPartId, loadParts } from '../sessions/part-ids.js';
import { SessionRef } from '../sessions/types.js';
import { citedBy, citedSources } from './listings.js';
import { abstractOf, citationsOf, sourceOf } from './loaders.js';
import type { Segment } from './markup.js';
import type { CitationNode, SourceNode } from './nodes.js';

export const SourceRef = builder.objectRef<SourceNode>('Source');
export const CitationRef = builder.objectRef<CitationNode>('Citation');
export const TextSegmentRef = builder.objectRef<Segment<CitationNode>>('TextSegment');

const SourceConnection = connectionTypes('Source', SourceRef, 'A page of sources.').connection;
const CitationConnection = connectionTypes('Citation', CitationRef, 'A page of citations.').connection;

/** Under an event the id carries the citation, under the session the source's own name: the two may differ in content. */
const idOf = ({ sessionId, citation, sourceRef }: SourceNode): string =>
  formatPartId({
    sessionId,
    eventNumber: citation?.eventNumber ?? null,
    key: citation?.citationId ?? sourceRef,
  });

/**
 * Sources by their ids. One of the session needs no cut: it may be there before anything cites it, so its number says nothing of
 * when it came.
 */
const loadSources = (operation: Operation, ids: readonly string[]): Promise<(SourceNode | null)[]> =>
  loadParts(operation, ids, async ({ sessionId, eventNumber, key }) => {
    if (eventNumber === null) return sourceOf(operation).load({ sessionId, sourceRef: key });
    const citations = await citationsOf(operation, sessionId, eventNumber);
    return citations.find(({ citationId }) => citationId === key)?.source ?? null;
  });

builder.node(SourceRef, {
  description:
    'A cited work. Under a citation it is as that event gave it, under the session as everything known so far adds up. The two have different ids: join them by sourceRef.',
  id: { resolve: idOf },
  loadManyWithoutCache: (ids, { operation }) => loadSources(operation, ids),
  fields: (t) => ({
    sourceRef: t.exposeID('sourceRef', {
      description: "The work's id within the session, as its writer gave it.",
    }),
    title: t.string({
      nullable: true,
      description: 'Its title as given, markup included.',
      resolve: ({ fields }) => fields.title,
    }),
    authors: t.stringList({
      description: 'The names of its authors in their order; empty when none is known.',
      resolve: ({ fields }) => fields.authors ?? [],
    }),
    year: t.int({
      nullable: true,
      description: 'The year of publication.',
      resolve: ({ fields }) => fields.year,
    }),
    doi: t.string({
      nullable: true,
      description: 'The DOI as given, which may be a URL.',
      resolve: ({ fields }) => fields.doi,
    }),
    url: t.string({
      nullable: true,
      description: 'As given and not checked: look at its scheme before you make a link of it.',
      resolve: ({ fields }) => fields.url,
    }),
    venue: t.string({
      nullable: true,
      description: 'Journal, book, conference or site.',
      resolve: ({ fields }) => fields.venue,
    }),
    citationCount: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'How many works cite it, as far as known; not citations in this session.',
      resolve: ({ fields }) => fields.citationCount,
    }),
    fullTextAvailable: t.exposeBoolean('fullTextAvailable', {
      nullable: true,
      description:
        'The latest verdict known to the session, also where the citation came before it; null while there is none.',
    }),
    studyTypeTags: t.stringList({
      description: 'What kind of study it is; empty when not known.',
      resolve: ({ fields }) => fields.studyTypeTags ?? [],
    }),
    journalQuartile: t.int({
      nullable: true,
      description: "The journal's quartile, 1 the best.",
      resolve: ({ fields }) => fields.journalQuartile,
    }),
    elicitId: t.string({
      nullable: true,
      description: "The work's id in the Elicit corpus.",
      resolve: ({ fields }) => fields.elicitId,
    }),
    abstract: t.string({
      nullable: true,
      description: 'The latest abstract known to the session. Read from the database only when selected.',
      resolve: ({ sessionId, sourceRef }, _, { operation }) =>
        abstractOf(operation).load({ sessionId, sourceRef }),
    }),
    citedBy: t.field({
      type: CitationConnection,
      nullable: true,
      description: "This session's citations of the work, oldest first. BAD_USER_INPUT, INVALID_CURSOR.",
      args: { ...t.arg.connectionArgs() },
      resolve: async (source, args, { operation }) => {
        const session = await requireSession(operation, source.sessionId);
        return connection(citedBy(operation, session, source), args);
      },
    }),
  }),
});

builder.objectType(CitationRef, {
  description: 'A passage that supports a message.',
  fields: (t) => ({
    citationId: t.exposeID('citationId', {
      description: 'Its id within the message, as its writer gave it.',
    }),
    reference: t.exposeString('reference', {
      nullable: true,
      description: "The token that stands for it in the message's <citations> markup; null when none does.",
    }),
    quote: t.exposeString('quote', { description: 'The passage, as given.' }),
    source: t.expose('source', {
      type: SourceRef,
      description:
        'Where it is from: as given with this event, with the abstract and the full-text verdict known by now.',
    }),
  }),
});

builder.objectType(TextSegmentRef, {
  description: 'A stretch of the displayed text, up to a group of citations, and what that group cites.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description: 'May be empty; all of a message, joined, are its displayText.',
    }),
    citations: t.expose('citations', {
      type: [CitationRef],
      description: "In the group's order; none behind the last group.",
    }),
    unresolved: t.exposeStringList('unresolved', {
      description: 'Tokens of the group that match no citation.',
    }),
  }),
});

builder.objectField(SessionRef, 'citedSources', (t) =>
  t.field({
    type: SourceConnection,
    nullable: true,
    description:
      'The distinct sources of all citations, in order of first citation, each field with the last value that was not null. BAD_USER_INPUT, INVALID_CURSOR.',
    args: { ...t.arg.connectionArgs() },
    resolve: async ({ id }, args, { operation }) =>
      connection(citedSources(operation, await requireSession(operation, id)), args),
  }),
);
