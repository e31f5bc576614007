import { badUserInput } from '../errors.js';
import { builder } from '../graphql/builder.js';
import { renew } from '../graphql/context.js';
import { approveElicitation, cancelElicitation, consumeElicitation, rejectElicitation } from './actions.js';
import { requireByKey, requireElicitation, shownAsWritten } from './loaders.js';
import { requestElicitation } from './request.js';
import type { ElicitationRow } from './store.js';
import { ElicitationRef } from './types.js';

builder.queryField('elicitation', (t) =>
  t.field({
    type: ElicitationRef,
    nullable: true,
    description:
      'An elicitation by its id, or by the key that the viewer asked with; reading it takes no result. Needs exactly one of the two. BAD_USER_INPUT for text that can be no key. NOT_FOUND, the same for unknown, malformed and foreign ones.',
    args: {
      elicitationId: t.arg.id({ description: 'As requestElicitation gave it.' }),
      idempotencyKey: t.arg.string({
        description: "The asker's own: the same session's, account's or organisation's.",
      }),
    },
    resolve: (_, { elicitationId, idempotencyKey }, { operation }) => {
      if (typeof elicitationId === 'string' && typeof idempotencyKey !== 'string') {
        return requireElicitation(operation, elicitationId);
      }
      if (typeof idempotencyKey === 'string' && typeof elicitationId !== 'string') {
        return requireByKey(operation, idempotencyKey);
      }
      throw badUserInput('elicitation: expected either elicitationId or idempotencyKey. Give exactly one.');
    },
  }),
);

/** The payload of each mutation: the elicitation as it is after the commit. */
const payload = (name: string, description: string) =>
  builder.objectRef<{ elicitation: ElicitationRow }>(name).implement({
    description,
    fields: (t) => ({
      elicitation: t.expose('elicitation', {
        type: ElicitationRef,
        description: 'The elicitation as it is after that.',
      }),
    }),
  });

const elicitationId = 'The one that this is about.';

const RequestElicitationInput = builder.inputType('RequestElicitationInput', {
  description: 'What to ask of whom, and until when.',
  fields: (t) => ({
    message: t.string({ required: true, description: 'The question, 1 to 4,000 characters.' }),
    context: t.field({ type: 'JSON', description: 'What the person should know, at most 256 KB.' }),
    requestedSchema: t.field({
      type: 'JSON',
      description:
        "A form to fill in: the flat JSON Schema that the Model Context Protocol's elicitation allows, and `pattern`. At most 64 KiB, 100 fields with names of 1 to 128 characters, 1,000 options a field. A pattern has at most 1,000 characters and is matched in linear time: no look-around, no back-references; one that is large beside a large maxLength is refused, and so are more than 200 of `\\p{…}`, `\\P{…}` and `\\S` in a form. A form that nobody could fill in is refused where that can be told. Absent: approval is all.",
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Nobody can decide from then on. Not with ttlSeconds.',
    }),
    ttlSeconds: t.int({ description: 'The same, in seconds from now; at least 1.' }),
    sessionId: t.id({
      description: 'The session that it belongs to. A RUN credential may leave its own out.',
    }),
    accountId: t.id({
      description:
        "Whom to ask, for SERVICE credentials: an account of the organisation. Absent: the session's owner or, without a session, the credential's own account.",
    }),
    idempotencyKey: t.string({
      description:
        "The asker's own name for this request: the same content again gives the same elicitation.",
    }),
  }),
});

builder.mutationField('requestElicitation', (t) =>
  t.field({
    type: payload('RequestElicitationPayload', 'What was asked.'),
    nullable: true,
    description:
      'Asks a person: oneself, as a RUN credential its account, as SERVICE any account of its organisation. FORBIDDEN, BAD_USER_INPUT, NOT_FOUND, CONFLICT for a key that came with other content.',
    args: { input: t.arg({ type: RequestElicitationInput, required: true, description: 'What to ask.' }) },
    resolve: async (_, { input }, context) => {
      const elicitation = await requestElicitation(context.operation, input);
      return shownAsWritten(renew(context), elicitation);
    },
  }),
);

const ApproveElicitationInput = builder.inputType('ApproveElicitationInput', {
  description: 'A yes.',
  fields: (t) => ({
    elicitationId: t.id({ required: true, description: elicitationId }),
    formSubmission: t.field({
      type: 'JSON',
      description:
        "The form's answers, where one is asked for: at most 256 KiB; a text that has a pattern or a format at most 2,048 characters. `extensions.faults` lists up to 20 that do not fit, each with `path` and `reason`.",
    }),
  }),
});

const RejectElicitationInput = builder.inputType('RejectElicitationInput', {
  description: 'A no.',
  fields: (t) => ({
    elicitationId: t.id({ required: true, description: elicitationId }),
    reason: t.string({ description: 'For the asker, 1 to 4,000 characters.' }),
  }),
});

const DecideElicitationPayload = payload('DecideElicitationPayload', 'What was decided.');

const WHO_DECIDES =
  'For the account asked and the admins of its organisation at the time, PERSONAL alone. The first decision counts: the same again by the same person changes nothing, another one is a CONFLICT that tells which. FORBIDDEN, BAD_USER_INPUT, NOT_FOUND.';

builder.mutationField('approveElicitation', (t) =>
  t.field({
    type: DecideElicitationPayload,
    nullable: true,
    description: `Says yes. ${WHO_DECIDES}`,
    args: { input: t.arg({ type: ApproveElicitationInput, required: true, description: 'The yes.' }) },
    resolve: async (_, { input }, context) => {
      const elicitation = await approveElicitation(context.operation, input);
      return shownAsWritten(renew(context), elicitation);
    },
  }),
);

builder.mutationField('rejectElicitation', (t) =>
  t.field({
    type: DecideElicitationPayload,
    nullable: true,
    description: `Says no. ${WHO_DECIDES}`,
    args: { input: t.arg({ type: RejectElicitationInput, required: true, description: 'The no.' }) },
    resolve: async (_, { input }, context) => {
      const elicitation = await rejectElicitation(context.operation, input);
      return shownAsWritten(renew(context), elicitation);
    },
  }),
);

const CancelElicitationInput = builder.inputType('CancelElicitationInput', {
  description: 'What to take back.',
  fields: (t) => ({
    elicitationId: t.id({ required: true, description: elicitationId }),
    reason: t.string({ description: 'For whoever was asked, 1 to 4,000 characters.' }),
  }),
});

builder.mutationField('cancelElicitation', (t) =>
  t.field({
    type: payload('CancelElicitationPayload', 'What was taken back.'),
    nullable: true,
    description:
      'Takes back what the asker asked, while it waits. BAD_USER_INPUT; NOT_FOUND for all but the asker; CONFLICT when something else came first.',
    args: {
      input: t.arg({ type: CancelElicitationInput, required: true, description: 'What to take back.' }),
    },
    resolve: async (_, { input }, context) => {
      const elicitation = await cancelElicitation(context.operation, input);
      return shownAsWritten(renew(context), elicitation);
    },
  }),
);

const ConsumeElicitationInput = builder.inputType('ConsumeElicitationInput', {
  description: 'What to take the result of.',
  fields: (t) => ({ elicitationId: t.id({ required: true, description: elicitationId }) }),
});

builder.mutationField('consumeElicitation', (t) =>
  t.field({
    type: payload('ConsumeElicitationPayload', 'The result: decision, context and formSubmission.'),
    nullable: true,
    description:
      'Takes the result of what the asker asked; again, the same result. BAD_USER_INPUT; NOT_FOUND for all but the asker; CONFLICT while nobody has decided, and when nobody will.',
    args: {
      input: t.arg({ type: ConsumeElicitationInput, required: true, description: 'What to take it of.' }),
    },
    resolve: async (_, { input }, context) => {
      const elicitation = await consumeElicitation(context.operation, input);
      return shownAsWritten(renew(context), elicitation);
    },
  }),
);
