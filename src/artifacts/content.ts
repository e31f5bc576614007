import { z } from 'zod';
import { instant } from '../instant.js';
import { eachOnce, id, int32, optional, safeInt, text } from '../parse.js';

const MAX_PER_EVENT = 500;

export const ARTIFACT_KINDS = [
  'AGENT_SAVED_FILE',
  'AGENT_DELIVERED_FILE',
  'PROSE_EXPORT',
  'PRESENTATION_EXPORT',
  'FIGURE_EXPORT',
  'REPORT_ASSET',
  'REPORT_CITATION',
] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export const DELIVERED_OUTPUT_KINDS = ['TABLE', 'PROSE', 'PRESENTATION', 'FIGURE'] as const;

export const isOutputKind = (kind: string): kind is (typeof DELIVERED_OUTPUT_KINDS)[number] =>
  DELIVERED_OUTPUT_KINDS.some((known) => known === kind);

/** A file that a session produced: metadata only, never a URL or a storage key. */
export const artifactContent = z.strictObject({
  artifactId: id(),
  kind: z.enum(ARTIFACT_KINDS),
  format: optional(text(100)),
  filename: text(1_024, 1),
  contentType: optional(text(256)),
  sizeBytes: optional(safeInt()),
  createdAt: optional(instant()),
});
export type ArtifactContent = z.output<typeof artifactContent>;

/** A table, text, presentation or figure that a session delivered. */
const deliveredOutputContent = z.strictObject({
  artifactId: id(),
  kind: z.enum(DELIVERED_OUTPUT_KINDS),
  title: text(4_096),
  caption: optional(text(65_536)),
  rowCount: optional(int32()),
  createdAt: optional(instant()),
});
export type DeliveredOutputContent = z.output<typeof deliveredOutputContent>;

/** With its event an artifactId names one snapshot, and global ids rely on that. */
const snapshotsOnce = eachOnce('artifactId', 'an event, got it twice; send its latest snapshot');

export const artifactsContent = z.array(artifactContent).max(MAX_PER_EVENT).superRefine(snapshotsOnce);
export const deliveredOutputsContent = z
  .array(deliveredOutputContent)
  .max(MAX_PER_EVENT)
  .superRefine(snapshotsOnce);
