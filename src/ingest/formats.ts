import { badUserInput } from '../errors.js';
import { agUi } from './ag-ui.js';
import { aiSdk } from './ai-sdk.js';
import { anthropicMessages } from './anthropic-messages.js';
import { claudeCode } from './claude-code.js';
import type { Frame } from './frames.js';
import { langGraph } from './langgraph.js';
import { openAiResponses } from './openai-responses.js';
import type { EndReason, IngestContext, Output, Reducer } from './reducer.js';
import { tidings } from './tidings.js';

/** A reducer at work on one stream; `save` is all it remembers, as JSON, for `Format.open` to go on from. */
export interface Reduction {
  /** As `Reducer.isStrict`. */
  readonly isStrict: boolean;
  reduce(frame: Frame, output: Output): void;
  end(why: EndReason, output: Output): void;
  /** As `Reducer.turn`. */
  turn(): string | undefined;
  save(): string;
}

/** What a reduction is told about its stream, beside the format. */
export type ReductionContext = Omit<IngestContext, 'format'>;

/** A kind of stream that can be read, whatever its reducer keeps. */
export interface Format {
  readonly name: string;
  recognises(first: Frame): boolean;
  open(context: ReductionContext, saved?: string): Reduction;
}

/** A row of the table below: a format's public name and its reducer. */
function format<State>(name: string, reducer: Reducer<State>): Format {
  return {
    name,
    recognises: (first) => reducer.recognises(first),
    open(given, saved) {
      const context = { ...given, format: name };
      const state = saved === undefined ? reducer.start() : savedState<State>(saved);
      return {
        isStrict: reducer.isStrict ?? false,
        reduce: (frame, output) => reducer.reduce({ state, context, ...output }, frame),
        end: (why, output) => reducer.end({ state, context, ...output }, why),
        turn: () => reducer.turn(state, context),
        save: () => JSON.stringify(state),
      };
    },
  };
}

/** What `save` of the same format wrote: a reducer's state is plain JSON, so it comes back as it was. */
const savedState = <State>(saved: string): State => JSON.parse(saved) as State;

const FORMATS: readonly Format[] = [
  format('anthropic-messages', anthropicMessages),
  format('openai-responses', openAiResponses),
  format('ai-sdk', aiSdk),
  format('ag-ui', agUi),
  format('langgraph', langGraph),
  format('claude-code', claudeCode),
  format('tidings', tidings),
];

/** The names of all formats, in the order in which they are shown. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

/** The format of that name. BAD_USER_INPUT, with the list, for an unknown one. */
export const parseFormat = (name: string): Format =>
  FORMATS.find((format) => format.name === name) ?? refuse(JSON.stringify(name.slice(0, 100).toWellFormed()));

/** The format of a stream that begins with this object. BAD_USER_INPUT, with the list, if it is none of them. */
export const recogniseFormat = (first: Frame): Format =>
  FORMATS.find((format) => format.recognises(first)) ??
  refuse('a stream that begins like none of them. Name its format');

function refuse(got: string): never {
  throw badUserInput(`format: expected one of ${FORMAT_NAMES.join(', ')}; got ${got}.`, {
    formats: FORMAT_NAMES,
  });
}
