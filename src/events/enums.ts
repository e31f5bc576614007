import { builder } from '../graphql/builder.js';
import type {
  ACTIVITY_STATUSES,
  AGENT_ERROR_CODES,
  EventKind,
  MESSAGE_COMPLETIONS,
  RESPONSE_FORMATS,
} from './content.js';

type Described<T extends string> = Record<T, { readonly description: string }>;

const kinds: Record<EventKind, string> = {
  user_message: 'A message to the agent.',
  agent_message: 'A message of the agent, with its citations.',
  methods: 'How an answer was produced; follows the answer.',
  question: 'The agent asks; one, or a form of several.',
  activity: 'A step of the work: started, completed or failed.',
  artifacts_delivered: 'Files were produced or delivered.',
  delivered_outputs: 'Tables, texts, presentations or figures were delivered.',
  error: 'A run failed.',
  session_idle: 'The run is over and the agent ready for the next request.',
  session_paused: 'Paused until there is quota again.',
  session_resumed: 'Goes on after a pause or a break.',
  stop_requested: 'Somebody asked the agent to stop.',
  session_stopped: 'The agent stopped, as asked.',
  unknown: 'A kind that this version does not know, or an event that cannot be read.',
};

/** GraphQL's names are the stored kinds in upper case. */
export const SessionEventKindRef = builder.enumType('SessionEventKind', {
  description: 'What kind of event it is. Later versions add kinds: a client must expect them.',
  values: Object.fromEntries(
    Object.entries(kinds).map(([kind, description]) => [kind.toUpperCase(), { value: kind, description }]),
  ) as Record<string, { readonly value: EventKind; readonly description: string }>,
});

const completions: Described<(typeof MESSAGE_COMPLETIONS)[number]> = {
  COMPLETE: { description: 'Said to the end.' },
  TRUNCATED: { description: 'Cut off: by a limit, or by a stream that ended.' },
  ABORTED: { description: 'Stopped by somebody or by a failure.' },
};

export const MessageCompletionRef = builder.enumType('MessageCompletion', {
  description: 'How a message of the agent ended. Later versions may add values.',
  values: completions,
});

const formats: Described<(typeof RESPONSE_FORMATS)[number]> = {
  TEXT: { description: 'Some text.' },
  FILE: { description: 'At least one file.' },
  SINGLE_SELECT: { description: 'Exactly one of the options.' },
  MULTI_SELECT: { description: 'One or more of the options, each once.' },
};

export const ResponseFormatRef = builder.enumType('ResponseFormat', {
  description: 'What an answer has to bring. Later versions may add values.',
  values: formats,
});

const activityStatuses: Described<(typeof ACTIVITY_STATUSES)[number]> = {
  STARTED: { description: 'It has begun.' },
  COMPLETED: { description: 'It is done.' },
  FAILED: { description: 'It failed.' },
};

export const ActivityStatusRef = builder.enumType('ActivityStatus', {
  description: 'How far a step of the work is, as of the event. Later versions may add values.',
  values: activityStatuses,
});

const errorCodes: Described<(typeof AGENT_ERROR_CODES)[number]> = {
  AGENT_TIMED_OUT: { description: 'The agent took too long or stalled.' },
  AGENT_API_ERROR: { description: 'Something that the agent calls refused or failed.' },
  AGENT_FAILED: { description: 'The agent itself failed or was cut off.' },
};

export const AgentErrorCodeRef = builder.enumType('AgentErrorCode', {
  description: 'Why a run failed. Later versions may add values.',
  values: errorCodes,
});
