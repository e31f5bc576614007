import { type Failure, RUN_FAILED, SERVICE_FAILED, SERVICE_REFUSED, TIMED_OUT } from './failures.js';

/** What agents call their failures by, where nobody says what they may: codes, numbers of HTTP, names of exceptions. */
const NAMES: readonly (readonly [name: RegExp, failure: Failure])[] = [
  [/time.?d?.?out|^(?:408|504)$/i, TIMED_OUT],
  [/auth|billing|quota|permission|forbidden|invalid|bad.?request|^40[0-4]$/i, SERVICE_REFUSED],
  [/overload|rate.?limit|unavailable|connection|(?:api|server).?error|^(?:429|5\d\d)$/i, SERVICE_FAILED],
];

/** The failure of that name; of one that says nothing, that the run failed. */
export const failureCalled = (name: string): Failure =>
  NAMES.find(([names]) => names.test(name))?.[1] ?? RUN_FAILED;
