import { builder } from '../graphql/builder.js';
import { connectionTypes } from '../graphql/connection-types.js';
import { connection } from '../graphql/connections.js';
import { requireSession } from '../sessions/loaders.js';
import { formatPartId, loadParts } from '../sessions/part-ids.js';
import { SessionRef } from '../sessions/types.js';
import { ArtifactKindRef, DeliveredOutputKindRef } from './kinds.js';
import { artifactListing, deliveredOutputListing } from './listings.js';
import { artifactById, artifactOfEvent, deliveredOutputById, deliveredOutputOfEvent } from './loaders.js';
import {
  type ArtifactNode,
  artifactKindOf,
  type DeliveredOutputNode,
  outputKindOf,
  partIdOf,
} from './nodes.js';

export const ArtifactRef = builder.objectRef<ArtifactNode>('Artifact');
export const DeliveredOutputRef = builder.objectRef<DeliveredOutputNode>('DeliveredOutput');

const ArtifactConnection = connectionTypes('Artifact', ArtifactRef, 'A page of files.').connection;
const DeliveredOutputConnection = connectionTypes(
  'DeliveredOutput',
  DeliveredOutputRef,
  'A page of delivered outputs.',
).connection;

builder.node(ArtifactRef, {
  description:
    'A file that a session produced, without its bytes. Under an event it is as that event gave it, under the session its latest snapshot. The two have different ids: join them by artifactId.',
  id: { resolve: (artifact) => formatPartId(partIdOf(artifact)) },
  loadManyWithoutCache: (ids, { operation }) =>
    loadParts(operation, ids, ({ sessionId, eventNumber, key: artifactId }) =>
      eventNumber === null
        ? artifactById(operation, { sessionId, artifactId })
        : artifactOfEvent(operation, { sessionId, eventNumber, artifactId }),
    ),
  fields: (t) => ({
    artifactId: t.id({
      description: "The file's id within the session, as its writer gave it.",
      resolve: ({ fields }) => fields.artifactId,
    }),
    kind: t.field({ type: ArtifactKindRef, description: 'How it came about.', resolve: artifactKindOf }),
    format: t.string({
      nullable: true,
      description: 'Its file format, such as pdf.',
      resolve: ({ fields }) => fields.format,
    }),
    filename: t.string({
      description: 'Its name.',
      resolve: ({ fields }) => fields.filename,
    }),
    contentType: t.string({
      nullable: true,
      description: 'Its media type.',
      resolve: ({ fields }) => fields.contentType,
    }),
    sizeBytes: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Its size in bytes.',
      resolve: ({ fields }) => fields.sizeBytes,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was produced, if known.',
      resolve: ({ fields }) => fields.createdAt,
    }),
  }),
});

builder.node(DeliveredOutputRef, {
  description:
    'A table, text, presentation or figure that a session delivered. Under an event it is as that event gave it, under the session its latest snapshot. The two have different ids: join them by artifactId.',
  id: { resolve: (output) => formatPartId(partIdOf(output)) },
  loadManyWithoutCache: (ids, { operation }) =>
    loadParts(operation, ids, ({ sessionId, eventNumber, key: artifactId }) =>
      eventNumber === null
        ? deliveredOutputById(operation, { sessionId, artifactId })
        : deliveredOutputOfEvent(operation, { sessionId, eventNumber, artifactId }),
    ),
  fields: (t) => ({
    artifactId: t.id({
      description: "The output's id within the session, as its writer gave it.",
      resolve: ({ fields }) => fields.artifactId,
    }),
    kind: t.field({ type: DeliveredOutputKindRef, description: 'What it is.', resolve: outputKindOf }),
    title: t.string({ description: 'Its title.', resolve: ({ fields }) => fields.title }),
    caption: t.string({
      nullable: true,
      description: 'What it shows.',
      resolve: ({ fields }) => fields.caption,
    }),
    rowCount: t.int({
      nullable: true,
      description: 'Rows of a table; null for the others.',
      resolve: ({ fields }) => fields.rowCount,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered, if known.',
      resolve: ({ fields }) => fields.createdAt,
    }),
  }),
});

builder.objectField(SessionRef, 'artifacts', (t) =>
  t.field({
    type: ArtifactConnection,
    nullable: true,
    description:
      'The latest snapshot of each file, in order of first appearance. BAD_USER_INPUT, INVALID_CURSOR.',
    args: { ...t.arg.connectionArgs() },
    resolve: async ({ id }, args, { operation }) =>
      connection(artifactListing(operation, await requireSession(operation, id)), args),
  }),
);

builder.objectField(SessionRef, 'deliveredOutputs', (t) =>
  t.field({
    type: DeliveredOutputConnection,
    nullable: true,
    description:
      'The latest snapshot of each delivered output, in order of first appearance. BAD_USER_INPUT, INVALID_CURSOR.',
    args: { ...t.arg.connectionArgs() },
    resolve: async ({ id }, args, { operation }) =>
      connection(deliveredOutputListing(operation, await requireSession(operation, id)), args),
  }),
);
