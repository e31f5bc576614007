import { badUserInput } from '../errors.js';
import { anthropicMessages } from './anthropic-messages.js';
import type { Frame } from './frames.js';
import type { EndReason, IngestContext, Output, Reducer } from './reducer.js';

/** A reducer at work on one stream; `save` is all it remembers, as JSON, for `Format.open` to go on from. */
export interface Reduction {
  reduce(frame: Frame, output: Output): void;
  end(why: EndReason, output: Output): void;
  save(): string;
}

/** A kind of stream that can be read, whatever its reducer keeps. */
export interface Format {
  readonly name: string;
  open(context: Omit<IngestContext, 'format'>, saved?: string): Reduction;
}

/** A row of the table below: a format's public name and its reducer. */
function format<State>(name: string, reducer: Reducer<State>): Format {
  return {
    name,
    open(given, saved) {
      const context = { ...given, format: name };
      const state = saved === undefined ? reducer.start() : savedState<State>(saved);
      return {
        reduce: (frame, output) => reducer.reduce({ state, context, ...output }, frame),
        end: (why, output) => reducer.end({ state, context, ...output }, why),
        save: () => JSON.stringify(state),
      };
    },
  };
}

/** What `save` of the same format wrote: a reducer's state is plain JSON, so it comes back as it was. */
const savedState = <State>(saved: string): State => JSON.parse(saved) as State;

const FORMATS: ReadonlyMap<string, Format> = new Map(
  [format('anthropic-messages', anthropicMessages)].map((row) => [row.name, row]),
);

/** The names of all formats, in the order in which they are shown. */
const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

/** The format of that name. BAD_USER_INPUT, with the list, for none and for an unknown one. */
export function parseFormat(name: string | null | undefined): Format {
  const found = name ? FORMATS.get(name) : undefined;
  if (found !== undefined) return found;
  const got = name ? JSON.stringify(name.slice(0, 100).toWellFormed()) : 'none';
  throw badUserInput(`format: expected one of ${FORMAT_NAMES.join(', ')}; got ${got}.`, {
    formats: FORMAT_NAMES,
  });
}
