import type { Operation } from '../accounts/operation.js';
import {
  approveElicitation,
  cancelElicitation,
  consumeElicitation,
  rejectElicitation,
} from '../elicitations/actions.js';
import { requestElicitation } from '../elicitations/request.js';

/** Who takes part: a runtime, the run of a session, and the person whom both ask. */
export interface Parties {
  readonly service: Operation;
  readonly run: Operation;
  readonly member: Operation;
}

/** Has the member asked in each way, and leaves an elicitation in each status; the newest wait for an answer. */
export async function addElicitations({ service, run, member }: Parties): Promise<void> {
  const { accountId } = member.viewer;
  const taken = await requestElicitation(run, {
    message: 'May I read the register of street trees? It is open to residents only.',
    context: { register: 'https://example.org/trees' },
  });
  await approveElicitation(member, { elicitationId: taken.id });
  await consumeElicitation(run, { elicitationId: taken.id });

  const refused = await requestElicitation(service, {
    accountId,
    message: 'May I ask the authors of the survey for their raw data?',
  });
  await rejectElicitation(member, { elicitationId: refused.id, reason: 'Not before our own report is out.' });

  const canceled = await requestElicitation(run, { message: 'May I buy a paper for 30 euros?' });
  await cancelElicitation(run, { elicitationId: canceled.id, reason: 'It is free elsewhere.' });

  // Whoever reads it after this second, or the sweep, finds it expired: the first start does not wait.
  await requestElicitation(run, { message: "Shall I wait for today's measurements?", ttlSeconds: 1 });

  const answered = await requestElicitation(service, {
    accountId,
    message: 'Which years should the comparison cover?',
    requestedSchema: YEARS,
  });
  await approveElicitation(member, { elicitationId: answered.id, formSubmission: { from: 2015, to: 2025 } });

  await requestElicitation(run, {
    message: 'How should the report be made?',
    context: { report: 'Heat pumps in hard frost', pages: 12 },
    requestedSchema: REPORT,
  });
  await requestElicitation(run, {
    message: 'May I send the summary to the district council?',
    context: {
      to: 'council@example.org',
      summary: 'Trees cool a street by several degrees, while they have water.',
    },
  });
}

const YEARS = {
  type: 'object',
  properties: {
    from: { type: 'integer', title: 'First year', minimum: 1990 },
    to: { type: 'integer', title: 'Last year', minimum: 1990 },
  },
  required: ['from', 'to'],
};

/** Each kind of field that a form may have. */
const REPORT = {
  type: 'object',
  properties: {
    title: {
      type: 'string',
      title: 'Title',
      minLength: 1,
      maxLength: 120,
      default: 'Heat pumps in hard frost',
    },
    number: {
      type: 'string',
      title: 'File number',
      description: 'Such as HP-014',
      pattern: '^[A-Z]{2}-[0-9]{3}$',
    },
    email: { type: 'string', title: 'Send it to', format: 'email' },
    site: { type: 'string', title: 'Publish it at', format: 'uri' },
    due: { type: 'string', title: 'Due on', format: 'date' },
    embargo: { type: 'string', title: 'Not before', format: 'date-time' },
    pages: { type: 'integer', title: 'Pages at most', minimum: 1, maximum: 50, default: 12 },
    margin: { type: 'number', title: 'Margin in cm', minimum: 0.5, maximum: 5, default: 2.5 },
    sources: { type: 'boolean', title: 'List the sources', default: true },
    paper: { type: 'string', title: 'Paper', enum: ['A4', 'A5', 'Letter'], default: 'A4' },
    tone: {
      type: 'string',
      title: 'For',
      oneOf: [
        { const: 'experts', title: 'Experts' },
        { const: 'everyone', title: 'Everyone' },
      ],
    },
    languages: {
      type: 'array',
      title: 'Languages',
      items: { type: 'string', enum: ['de', 'en', 'fr'] },
      minItems: 1,
      default: ['en'],
    },
    parts: {
      type: 'array',
      title: 'Parts',
      items: {
        anyOf: [
          { const: 'summary', title: 'Summary' },
          { const: 'methods', title: 'Methods' },
          { const: 'tables', title: 'Tables' },
        ],
      },
      maxItems: 2,
    },
  },
  required: ['title', 'email', 'languages'],
};
