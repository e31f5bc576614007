import { builder } from '../graphql/builder.js';
import type { ARTIFACT_KINDS, DELIVERED_OUTPUT_KINDS } from './content.js';

type Kind<T extends readonly string[]> = T[number];

const artifactKinds: Record<Kind<typeof ARTIFACT_KINDS>, { description: string }> = {
  AGENT_SAVED_FILE: { description: 'A file that the agent saved and did not deliver.' },
  AGENT_DELIVERED_FILE: { description: 'A file that the agent delivered.' },
  PROSE_EXPORT: { description: 'A text, exported.' },
  PRESENTATION_EXPORT: { description: 'A presentation, exported.' },
  FIGURE_EXPORT: { description: 'A figure, exported.' },
  REPORT_ASSET: { description: 'Something that a report shows.' },
  REPORT_CITATION: { description: 'Something that a report cites.' },
};

const deliveredOutputKinds: Record<Kind<typeof DELIVERED_OUTPUT_KINDS>, { description: string }> = {
  TABLE: { description: 'A table.' },
  PROSE: { description: 'A text.' },
  PRESENTATION: { description: 'A presentation.' },
  FIGURE: { description: 'A figure.' },
};

export const ArtifactKindRef = builder.enumType('ArtifactKind', {
  description: 'How a file came about. Later versions may add values.',
  values: artifactKinds,
});

export const DeliveredOutputKindRef = builder.enumType('DeliveredOutputKind', {
  description: 'What kind of output was delivered. Later versions may add values.',
  values: deliveredOutputKinds,
});
