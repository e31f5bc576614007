import { badUserInput } from '../errors.js';
import type { EventInput } from './content.js';
import type { SessionEventInput } from './inputs.js';

type OneOf = typeof SessionEventInput.$inferInput;
type Member = keyof OneOf;
type FieldsOf = { readonly [M in Member]: NonNullable<OneOf[M]> };

/** What each member of the OneOf input means; that its fields are those of the kind is checked here by the compiler. */
const EVENT_OF: { readonly [M in Member]: (fields: FieldsOf[M]) => EventInput } = {
  userMessage: (fields) => ({ kind: 'user_message', ...fields }),
  agentMessage: (fields) => ({ kind: 'agent_message', ...fields }),
  methods: (fields) => ({ kind: 'methods', ...fields }),
  question: (fields) => ({ kind: 'question', ...fields }),
  activity: (fields) => ({ kind: 'activity', ...fields }),
  artifactsDelivered: (fields) => ({ kind: 'artifacts_delivered', ...fields }),
  deliveredOutputs: (fields) => ({ kind: 'delivered_outputs', ...fields }),
  error: (fields) => ({ kind: 'error', ...fields }),
  sessionIdle: (fields) => ({ kind: 'session_idle', ...fields }),
  sessionPaused: (fields) => ({ kind: 'session_paused', ...fields }),
  sessionResumed: (fields) => ({ kind: 'session_resumed', ...fields }),
  stopRequested: (fields) => ({ kind: 'stop_requested', ...fields }),
  sessionStopped: (fields) => ({ kind: 'session_stopped', ...fields }),
  unknown: ({ payload, ...fields }) => ({ kind: 'unknown', payload, ...fields }),
};

const MEMBERS = Object.keys(EVENT_OF) as readonly Member[];

/** Events as the OneOf input brings them. @throws BAD_USER_INPUT for one with no member or several, however it got past graphql-js. */
export const eventsOf = (inputs: readonly OneOf[]): readonly EventInput[] =>
  inputs.map((input, index) => {
    const given = MEMBERS.filter((member) => input[member] !== undefined);
    const [member] = given;
    const event = member === undefined || given.length > 1 ? undefined : eventOf(member, input[member]);
    if (event !== undefined) return event;
    const path = `input.events[${index}]`;
    throw badUserInput(`${path}: expected exactly one kind of event, got ${given.length}.`, { path });
  });

function eventOf<M extends Member>(
  member: M,
  fields: FieldsOf[M] | null | undefined,
): EventInput | undefined {
  return fields ? EVENT_OF[member](fields) : undefined;
}
