import { builder } from '../graphql/builder.js';
import { ArtifactKindRef, DeliveredOutputKindRef } from './kinds.js';

/** A file as its writer sends it; `content.ts` has its limits. */
export const ArtifactInput = builder.inputType('ArtifactInput', {
  description: 'A file: what is known of it, never its bytes or a URL.',
  fields: (t) => ({
    artifactId: t.id({
      required: true,
      description: 'Names the file within the session, 1 to 512 characters; once in an event.',
    }),
    kind: t.field({ type: ArtifactKindRef, required: true, description: 'How it came about.' }),
    format: t.string({ description: 'Its file format, such as pdf; at most 100 characters.' }),
    filename: t.string({ required: true, description: 'Its name: 1 to 1,024 characters.' }),
    contentType: t.string({ description: 'Its media type, at most 256 characters.' }),
    sizeBytes: t.field({ type: 'SafeInt', description: 'Its size in bytes, 0 or more.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was produced, if known.' }),
  }),
});

/** A delivered output as its writer sends it. */
export const DeliveredOutputInput = builder.inputType('DeliveredOutputInput', {
  description: 'A table, text, presentation or figure: what is known of it, not its content.',
  fields: (t) => ({
    artifactId: t.id({
      required: true,
      description: 'Names the output within the session, 1 to 512 characters; once in an event.',
    }),
    kind: t.field({ type: DeliveredOutputKindRef, required: true, description: 'What it is.' }),
    title: t.string({ required: true, description: 'Its title, at most 4,096 characters.' }),
    caption: t.string({ description: 'What it shows, at most 65,536 characters.' }),
    rowCount: t.int({ description: 'Rows of a table.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was delivered, if known.' }),
  }),
});
