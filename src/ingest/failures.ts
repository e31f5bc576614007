import type { AGENT_ERROR_CODES } from '../events/content.js';

/** An error as it is shown. The words are ours: upstream texts hold paths and ids (P10). */
export interface Failure {
  readonly code: (typeof AGENT_ERROR_CODES)[number];
  readonly message: string;
  readonly retryable: boolean;
}

export const TIMED_OUT: Failure = {
  code: 'AGENT_TIMED_OUT',
  message: 'The agent took too long to answer. Ask again.',
  retryable: true,
};

export const SERVICE_FAILED: Failure = {
  code: 'AGENT_API_ERROR',
  message: 'The model service behind the agent is overloaded or failing. Ask again in a moment.',
  retryable: true,
};

export const SERVICE_REFUSED: Failure = {
  code: 'AGENT_API_ERROR',
  message: 'The model service turned the agent down. Asking again will not help; whoever runs the agent can.',
  retryable: false,
};

export const CUT_OFF: Failure = {
  code: 'AGENT_FAILED',
  message: 'The agent broke off before it had finished. Ask again.',
  retryable: true,
};

export const DECLINED: Failure = {
  code: 'AGENT_FAILED',
  message: 'The agent declined to answer. Ask for something else.',
  retryable: false,
};

export const PAST_LIMIT: Failure = {
  code: 'AGENT_FAILED',
  message: 'The agent sent more than may be read at once, and was not read further.',
  retryable: false,
};

export const RUN_FAILED: Failure = {
  code: 'AGENT_FAILED',
  message: 'The agent failed. Asking again may not help; whoever runs the agent can find out why.',
  retryable: false,
};

export const OUT_OF_TURNS: Failure = {
  code: 'AGENT_FAILED',
  message: 'The agent used up what it was given for one request before it had finished.',
  retryable: false,
};
