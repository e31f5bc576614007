import { z } from 'zod';
import { instant } from '../instant.js';
import { ARTIFACT_KINDS, DELIVERED_OUTPUT_KINDS } from './content.js';

const maybe = z.string().nullish();
const count = z.number().nullish();

/** A file as an event's payload keeps it: the door's limits are not repeated, unknown fields are passed over. */
export const artifactSnapshot = z.object({
  artifactId: z.string(),
  kind: z.enum(ARTIFACT_KINDS),
  format: maybe,
  filename: z.string(),
  contentType: maybe,
  sizeBytes: count,
  createdAt: instant().nullish(),
});
export type ArtifactSnapshot = z.output<typeof artifactSnapshot>;

/** A delivered output as an event's payload keeps it. */
export const deliveredOutputSnapshot = z.object({
  artifactId: z.string(),
  kind: z.enum(DELIVERED_OUTPUT_KINDS),
  title: z.string(),
  caption: maybe,
  rowCount: count,
  createdAt: instant().nullish(),
});
export type DeliveredOutputSnapshot = z.output<typeof deliveredOutputSnapshot>;
