import { artifactById } from '../artifacts/loaders.js';
import { ArtifactRef } from '../artifacts/types.js';
import { builder } from '../graphql/builder.js';
import type { EventOf } from './event.js';
import { answerOf } from './loaders.js';
import { AgentMessageEventRef } from './message-types.js';
import { eventType } from './occurrence.js';

type Methods = EventOf<'methods'>;

const MethodSectionRef = builder.objectRef<Methods['sections'][number]>('MethodSection').implement({
  description: 'A part of the description, under its heading.',
  fields: (t) => ({
    heading: t.exposeString('heading', { description: 'Its heading.' }),
    body: t.exposeString('body', { description: 'Its text.' }),
  }),
});

const MethodSearchRef = builder.objectRef<Methods['searches'][number]>('MethodSearch').implement({
  description: 'A search that was run.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description: 'The key of what was searched, such as academic, pubmed or web; keys are added.',
    }),
    query: t.exposeString('query', { description: 'What was searched for.' }),
    maxResults: t.exposeInt('maxResults', {
      nullable: true,
      description: 'How many results were asked for.',
    }),
    resultsCount: t.exposeInt('resultsCount', { nullable: true, description: 'How many results came.' }),
    searchedAt: t.expose('searchedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was run, if known.',
    }),
  }),
});

const EvidenceBaseRef = builder.objectRef<NonNullable<Methods['evidenceBase']>>('EvidenceBase').implement({
  description: 'The literature that an answer rests on.',
  fields: (t) => ({
    sourceCount: t.exposeInt('sourceCount', {
      description: 'Distinct sources; fewer than the citations where a source supports several.',
    }),
    earliestYear: t.exposeInt('earliestYear', {
      nullable: true,
      description: 'The earliest year of publication.',
    }),
    latestYear: t.exposeInt('latestYear', { nullable: true, description: 'The latest year of publication.' }),
  }),
});

/** An artifact that a method names, and the session to look it up in. */
type NamedArtifact = Methods['artifacts'][number] & { readonly sessionId: string };

const MethodArtifactRef = builder.objectRef<NamedArtifact>('MethodArtifact').implement({
  description: 'Something that the method produced.',
  fields: (t) => ({
    deliveredArtifactId: t.id({
      nullable: true,
      description: 'The artifactId under which it was delivered.',
      resolve: ({ artifactId }) => artifactId,
    }),
    title: t.exposeString('title', { description: 'What it is called.' }),
    artifact: t.field({
      type: ArtifactRef,
      nullable: true,
      description:
        "The session's latest snapshot of it, as of now; null if it was never delivered as a file.",
      resolve: ({ sessionId, artifactId }, _, { operation }) =>
        artifactId ? artifactById(operation, { sessionId, artifactId }) : null,
    }),
  }),
});

const methods = eventType('methods');
export const MethodsEventRef = methods.ref;

builder.node(MethodsEventRef, {
  ...methods.node,
  description: 'How an answer was produced. Comes once for an answer, after it.',
  fields: (t) => ({
    messageId: t.exposeID('messageId', { description: 'The messageId of the answer that it describes.' }),
    answer: t.field({
      type: AgentMessageEventRef,
      nullable: true,
      description: 'The latest snapshot of that answer, as of now; null if there is none.',
      resolve: (event, _, { operation }) => answerOf(operation, event),
    }),
    approach: t.exposeString('approach', { description: 'One sentence: what kind of research it was.' }),
    summary: t.exposeString('summary', {
      nullable: true,
      description: 'What was searched, gathered and compared.',
    }),
    sections: t.expose('sections', {
      type: [MethodSectionRef],
      description: 'The description; may be empty.',
    }),
    keyJudgments: t.exposeStringList('keyJudgments', {
      description: 'Decisions made on the way; may be empty.',
    }),
    searches: t.expose('searches', {
      type: [MethodSearchRef],
      description: 'The searches, each once, in the order they were run; may be empty.',
    }),
    evidenceBase: t.expose('evidenceBase', {
      type: EvidenceBaseRef,
      nullable: true,
      description: 'The literature cited; null when not recorded.',
    }),
    artifacts: t.field({
      type: [MethodArtifactRef],
      description: 'What the method produced; may be empty.',
      resolve: ({ sessionId, artifacts }) => artifacts.map((artifact) => ({ ...artifact, sessionId })),
    }),
  }),
});
