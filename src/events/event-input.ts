import { badUserInput, DomainError } from '../errors.js';
import { isObject, type JsonObject, parse } from '../parse.js';
import { type EventInput, eventContent } from './content.js';
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

/** The one member that JSON of the shape of `SessionEventInput` has, if it has one with fields. */
export function memberOf(
  value: JsonObject,
): { readonly member: Member; readonly fields: JsonObject } | undefined {
  const [key, ...others] = Object.keys(value);
  const member = MEMBERS.find((known) => known === key);
  const fields = member && value[member];
  return member !== undefined && others.length === 0 && isObject(fields) ? { member, fields } : undefined;
}

/**
 * An event as JSON brings it, in the shape of `SessionEventInput`, checked by the one door; `root` names it in errors.
 * @throws BAD_USER_INPUT
 */
export function eventOfJson(value: JsonObject, root: string): EventInput {
  const given = memberOf(value);
  if (given === undefined) {
    throw badUserInput(
      `${root}: expected an object with one kind of event, which is one of ${MEMBERS.join(', ')}.`,
    );
  }
  const { member, fields } = given;
  if (Object.hasOwn(fields, 'kind'))
    throw badUserInput(`${root}.${member}: expected no field "kind"; its name says it.`);
  const event = { ...fields, kind: member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) };
  try {
    parse(eventContent, event, `${root}.${member}`);
  } catch (error) {
    // A payload may be of any shape, so its fault has no path.
    if (!(error instanceof DomainError) || error.message.startsWith(root)) throw error;
    throw badUserInput(`${root}.${member}: ${error.message}`);
  }
  return checked(event);
}

/** What the door has let pass, as it came: whoever appends it parses it there. */
const checked = (event: object): EventInput => event as EventInput;

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
