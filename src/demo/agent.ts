import { randomUUID } from 'node:crypto';
import type { Operation } from '../accounts/operation.js';
import { appendEvents } from '../events/append.js';
import type { EventInput } from '../events/content.js';
import { sessionLogKey } from '../sessions/topics.js';
import {
  HEAT_PUMPS,
  OWN_QUESTION,
  questionOf,
  type Recording,
  readEvents,
  STREET_TREES,
} from './recordings.js';

const RECORDINGS = [HEAT_PUMPS, STREET_TREES] as const;

export interface AgentOptions {
  /** A SERVICE operation that may write the session. */
  readonly operation: Operation;
  readonly sessionId: string;
  /** Hears of what went wrong; the agent then does no more until it is asked again. */
  readonly onError: (error: unknown) => void;
  /** From one event to the next; ms, about a second by default. */
  readonly pace?: number;
}

/** A message of the session, and how many there are up to it. */
interface Message {
  readonly eventId: string;
  readonly number: number;
  readonly count: number;
}

/**
 * Plays an agent in one session, from recordings: it asks a question itself for the first who follows it, unless each recording was
 * played already, and answers the last message that came, after what it is busy with. A restart goes on where the log ends: the ids
 * of an answer come from the message. While nobody follows, it rests where it is.
 */
export class DemoAgent {
  readonly #options: Required<AgentOptions>;
  readonly #leaveBus: () => void;
  #followers = 0;
  #remaining: EventInput[] = [];
  /** Nothing was done since the start: a question of its own may begin. */
  #mayAsk = true;
  /** Messages up to this number were taken up since the start. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: AgentOptions) {
    this.#options = { pace: 1_200, ...options };
    const { operation, sessionId } = this.#options;
    this.#leaveBus = operation.bus.subscribe(sessionLogKey(sessionId), () => this.#do(() => this.#look()));
  }

  /** Somebody follows the session. Returns what is to be called when it leaves. */
  follow(): () => void {
    this.#followers += 1;
    this.#do(() => this.#look());
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

  /** Stops when asked to, and otherwise takes up what there is to do when it is not busy. */
  async #look(): Promise<void> {
    const { prisma } = this.#options.operation.database;
    const session = await prisma.session.findUnique({
      where: { id: this.#options.sessionId },
      select: { pendingStop: true },
    });
    if (session !== null && session.pendingStop !== null) {
      this.#mayAsk = false;
      this.#remaining = [];
      await this.#append({ kind: 'session_stopped', eventId: randomUUID() });
    }
    if (this.#remaining.length === 0) this.#remaining = await this.#findWork();
    this.#arm();
  }

  /** What is left to say to the last message. When that is nothing, it may ask a question itself. */
  async #findWork(): Promise<EventInput[]> {
    const message = await this.#lastMessage();
    if (message !== undefined && message.number > this.#taken) {
      this.#taken = message.number;
      const answer = await this.#restOfAnswer(message);
      if (answer.length > 0) {
        this.#mayAsk = false;
        return answer;
      }
    }
    const recording = RECORDINGS[message?.count ?? 0];
    if (!this.#mayAsk || this.#followers === 0 || recording === undefined) return [];
    this.#mayAsk = false;
    // It comes back as the last message.
    await this.#append(questionOf(recording));
    return [];
  }

  async #lastMessage(): Promise<Message | undefined> {
    const { prisma } = this.#options.operation.database;
    const where = { sessionId: this.#options.sessionId, kind: 'user_message' } as const;
    const last = await prisma.event.findFirst({
      where,
      orderBy: { number: 'desc' },
      select: { eventId: true, number: true },
    });
    if (last === null) return undefined;
    const count = await prisma.event.count({ where: { ...where, number: { lte: last.number } } });
    return { ...last, count };
  }

  /** A recording, without what the log has of it; nothing once the session was stopped. */
  async #restOfAnswer(message: Message): Promise<EventInput[]> {
    const { operation, sessionId } = this.#options;
    const answer = await readEvents(recordingFor(message), `${sessionId}/${message.number}`);
    const later = await operation.database.prisma.event.findMany({
      where: {
        sessionId,
        number: { gt: message.number },
        OR: [{ kind: 'session_stopped' }, { eventId: { in: answer.map(({ eventId }) => eventId) } }],
      },
      select: { eventId: true, kind: true },
    });
    if (later.some(({ kind }) => kind === 'session_stopped')) return [];
    const said = new Set(later.map(({ eventId }) => eventId));
    return answer.filter(({ eventId }) => !said.has(eventId));
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
}

/** Its own question has its answer; whatever else is asked gets one recording after the other. */
const recordingFor = ({ eventId, count }: Message): Recording =>
  RECORDINGS.find(({ file }) => eventId === `${OWN_QUESTION}${file}`) ??
  RECORDINGS[(count - 1) % RECORDINGS.length] ??
  HEAT_PUMPS;
