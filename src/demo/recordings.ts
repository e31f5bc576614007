import { readFile } from 'node:fs/promises';
import type { EventInput } from '../events/content.js';
import { parseFormat } from '../ingest/formats.js';
import { IngestStream } from '../ingest/stream.js';
import { DEFAULT_TITLES, type ToolTitles } from '../ingest/titles.js';

/** What an agent was asked, and the recording of its answer. */
export interface Recording {
  readonly title: string;
  readonly question: string;
  readonly file: string;
}

export const HEAT_PUMPS: Recording = {
  title: 'Heat pumps in hard frost',
  question: 'Does a heat pump still heat an old house when it is far below freezing?',
  file: 'heat-pumps.jsonl',
};

export const STREET_TREES: Recording = {
  title: 'Street trees and summer heat',
  question: 'How much do street trees cool a street, and does that hold in a dry summer?',
  file: 'street-trees.jsonl',
};

/** Ends in an error: the model service gives up. */
export const CORAL_REEFS: Recording = {
  title: 'Can bleached reefs recover?',
  question: 'Do coral reefs recover from bleaching?',
  file: 'coral-reefs.jsonl',
};

/** The recordings lie with the source, also for what was built of it. */
const folder = new URL('../../src/demo/recordings/', import.meta.url);

/** The recordings use a tool that is their own. */
const TITLES: ToolTitles = new Map([
  ...DEFAULT_TITLES,
  ['search_reading_list', { title: 'Searching the reading list' }],
]);

/** The events of a recording, by the way that every raw stream takes. They have the same ids for the same `context`. */
export async function readEvents({ file }: Recording, context: string): Promise<readonly EventInput[]> {
  const format = parseFormat('anthropic-messages');
  const stream = new IngestStream({ format, sessionId: context, titles: TITLES });
  return [stream.push(await readFile(new URL(file, folder))), stream.end()].flatMap(({ events }) => events);
}

/** What the ids of the demo's own questions begin with. */
export const OWN_QUESTION = 'demo-question-';

/** The question, as its asker's message: once in a session. */
export const questionOf = ({ question, file }: Recording): EventInput => ({
  kind: 'user_message',
  eventId: `${OWN_QUESTION}${file}`,
  messageId: `${OWN_QUESTION}${file}`,
  text: question,
});
