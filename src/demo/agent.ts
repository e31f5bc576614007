import { randomUUID } from 'node:crypto';
import type { Operation } from '../accounts/operation.js';
import { appendEvents } from '../events/append.js';
import type { EventInput } from '../events/content.js';
import { sessionLogKey } from '../sessions/topics.js';
import { HEAT_PUMPS, OWN_QUESTION, questionOf, readEvents, STREET_TREES } from './recordings.js';

const RECORDINGS = [HEAT_PUMPS, STREET_TREES] as const;

export interface AgentOptions {
  /** A SERVICE operation that may write the session. */
  readonly operation: Operation;
  readonly sessionId: string;
  /** The session's last number now: what was sent before is not answered. */
  readonly head: number;
  /** Hears of what went wrong; the agent then does no more until it is asked again. */
  readonly onError: (error: unknown) => void;
  /** From one event to the next; ms, about a second by default. */
  readonly pace?: number;
}

/**
 * Plays an agent in one session: a recording for the first who follows it, and another for each message that comes. While nobody
 * follows, it rests where it is.
 */
export class DemoAgent {
  readonly #options: Required<AgentOptions>;
  readonly #leaveBus: () => void;
  #followers = 0;
  #runs = 0;
  #remaining: EventInput[] = [];
  /** Messages up to here are not for this agent, or were answered. */
  #answered: number;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: AgentOptions) {
    this.#options = { pace: 1_200, ...options };
    this.#answered = options.head;
    const { operation, sessionId } = this.#options;
    this.#leaveBus = operation.bus.subscribe(sessionLogKey(sessionId), () => this.#do(() => this.#listen()));
  }

  /** Somebody follows the session. Returns what is to be called when it leaves. */
  follow(): () => void {
    this.#followers += 1;
    if (this.#runs === 0) this.#do(() => this.#begin('asking'));
    else this.#arm();
    return () => {
      this.#followers -= 1;
    };
  }

  /** Stops, and waits for what is being written. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#leaveBus();
    await this.#work;
  }

  /** One thing after another, so that what is read of the session is never older than what was written. */
  #do(step: () => Promise<void>): void {
    this.#work = this.#work
      .then(async () => {
        if (!this.#closed) await step();
      })
      .catch((error: unknown) => {
        this.#remaining = [];
        this.#options.onError(error);
      });
  }

  /** Another recording, with ids of its own. */
  async #begin(how: 'asking' | 'answering'): Promise<void> {
    const recording = RECORDINGS[this.#runs % RECORDINGS.length] ?? HEAT_PUMPS;
    this.#runs += 1;
    const context = `${this.#options.sessionId}/${randomUUID()}`;
    if (how === 'asking') this.#remaining.push(questionOf(recording, context));
    this.#remaining.push(...(await readEvents(recording, context)));
    this.#arm();
  }

  #arm(): void {
    if (this.#closed || this.#followers === 0 || this.#remaining.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#do(() => this.#play());
    }, this.#options.pace);
  }

  async #play(): Promise<void> {
    const event = this.#remaining.shift();
    if (event !== undefined) await this.#append(event);
    this.#arm();
  }

  async #append(event: EventInput): Promise<void> {
    await appendEvents(this.#options.operation, this.#options.sessionId, [event]);
  }

  /** Begins to answer a message that somebody has sent, and stops when asked to. */
  async #listen(): Promise<void> {
    const { prisma } = this.#options.operation.database;
    const { sessionId } = this.#options;
    const session = await prisma.session.findUnique({
      where: { id: sessionId },
      select: { pendingStop: true },
    });
    if (session !== null && session.pendingStop !== null) {
      this.#remaining = [];
      await this.#append({ kind: 'session_stopped', eventId: randomUUID() });
    }
    const message = await prisma.event.findFirst({
      where: {
        sessionId,
        kind: 'user_message',
        number: { gt: this.#answered },
        NOT: { eventId: { startsWith: OWN_QUESTION } },
      },
      orderBy: { number: 'desc' },
      select: { number: true },
    });
    if (message === null) return;
    this.#answered = message.number;
    await this.#begin('answering');
  }
}
