import { pastLimit } from './limits.js';
import type { Step } from './reducer.js';

/** The part of a format's state that bounds the rest of it. */
export interface HeldState {
  /** Bytes that wait for something to end. */
  held: number;
}

/** What any held thing costs beside its text, so that very many empty ones meet the limit too. */
const OVERHEAD_BYTES = 64;

/** Accounts for text that is about to be held. Throws the fault of `heldBytes`. */
export function hold<State extends HeldState>(step: Step<State>, text: string, overhead = 0): void {
  step.state.held += Buffer.byteLength(text) + overhead;
  if (step.state.held > step.context.limits.heldBytes) throw pastLimit('heldBytes', step.context.limits);
}

/** The same for a thing of its own: a block, a citation, a search. */
export const holdThing = <State extends HeldState>(step: Step<State>, text = ''): void =>
  hold(step, text, OVERHEAD_BYTES);

/** Something that is let go by itself, with all that it holds. */
export interface Holder {
  /** Its share of what the state holds. */
  held: number;
}

/** Accounts for text that `holder` is about to hold; 0 and more bytes beside it. Throws the fault of `heldBytes`. */
export function holdIn<State extends HeldState>(
  step: Step<State>,
  holder: Holder,
  text: string,
  overhead = 0,
): void {
  const before = step.state.held;
  hold(step, text, overhead);
  holder.held += step.state.held - before;
}

/** The same for a thing of its own. */
export const holdThingIn = <State extends HeldState>(step: Step<State>, holder: Holder, text = ''): void =>
  holdIn(step, holder, text, OVERHEAD_BYTES);

export function letGo<State extends HeldState>(step: Step<State>, holder: Holder): void {
  step.state.held -= holder.held;
  holder.held = 0;
}
