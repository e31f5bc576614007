import { eventOfJson, memberOf } from '../events/event-input.js';
import type { Reducer } from './reducer.js';

/**
 * Events as `appendSessionEvents` takes them, one an object: what another Tidings, or a program that migrates to this one, writes. They are
 * what they say, so nothing is left out, made up or passed over. Nothing has to be remembered: each has its id.
 */
export const tidings: Reducer<null> = {
  isStrict: true,
  recognises: ({ value }) => memberOf(value) !== undefined,
  start: () => null,
  reduce: (step, { value, place }) => {
    step.events.push(eventOfJson(value, `${place.unit} ${place.at}`));
  },
  end: () => undefined,
  turn: () => undefined,
};
