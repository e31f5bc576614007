import { builder } from '../graphql/builder.js';

/** A source as its writer describes it; `content.ts` has its limits. */
export const SourceInput = builder.inputType('SourceInput', {
  description:
    'A cited work. A field that is absent or null leaves what the session knows of it; an empty list says that there are none.',
  fields: (t) => ({
    sourceRef: t.id({
      required: true,
      description: 'Names the work within the session: 1 to 512 characters.',
    }),
    title: t.string({ description: 'Its title, at most 65,536 characters.' }),
    authors: t.stringList({
      required: true,
      description: 'The names of its authors in their order: at most 5,000 of 4,096 characters.',
    }),
    year: t.int({ description: 'The year of publication, negative before the common era.' }),
    doi: t.string({ description: 'Its DOI, at most 4,096 characters; kept as it is.' }),
    url: t.string({ description: 'Where it is, at most 4,096 characters; kept as it is, not checked.' }),
    venue: t.string({ description: 'Journal, book, conference or site, at most 4,096 characters.' }),
    citationCount: t.field({ type: 'SafeInt', description: 'How many works cite it, 0 or more.' }),
    fullTextAvailable: t.boolean({ description: 'Whether its full text can be had.' }),
    studyTypeTags: t.stringList({
      required: true,
      description: 'What kind of study it is: at most 100 of 4,096 characters.',
    }),
    journalQuartile: t.int({ description: "The journal's quartile, 1 the best." }),
    elicitId: t.string({ description: "The work's id in the Elicit corpus, at most 4,096 characters." }),
    abstract: t.string({
      description:
        "Its abstract, at most 65,536 characters; kept with the session's source, not with the event.",
    }),
  }),
});

/** A citation as its writer sends it with a message. */
export const CitationInput = builder.inputType('CitationInput', {
  description: 'A passage that supports a message.',
  fields: (t) => ({
    citationId: t.id({ required: true, description: 'Unique within the message: 1 to 512 characters.' }),
    reference: t.string({
      description: "The token that stands for it in the text's <citations> markup, at most 4,096 characters.",
    }),
    quote: t.string({ required: true, description: 'The passage, at most 65,536 characters.' }),
    source: t.field({ type: SourceInput, required: true, description: 'Where it is from.' }),
  }),
});
