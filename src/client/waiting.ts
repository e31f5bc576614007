/** The wait before the first new try is at most this long, in ms, and doubles from one to the next. */
const FIRST = 1_000;

/** How long to wait after so many failures in a row: all of it by chance, lest all clients come back at once. */
export const backOff = (failures: number, longest: number): number =>
  Math.random() * Math.min(longest, FIRST * 2 ** (failures - 1));

/** Resolves when the time is over, or when nobody wants it any more. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      resolve();
    };
    const timer = setTimeout(settle, ms);
    signal.addEventListener('abort', settle);
    if (signal.aborted) settle();
  });
}

/** What comes of the work, or undefined as soon as nobody wants it any more. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
