import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../servers/own-process.js';
import type { Replica } from './replica.js';
import { Subscriber } from './subscriber.js';
import { type BusKind, openWorld, type World } from './world.js';
import { count, post, Writer } from './writer.js';

export interface ChaosOptions {
  readonly bus: BusKind;
  /** How long things break. */
  readonly seconds: number;
}

export interface ChaosReport {
  /** What was done, and how often. */
  readonly done: ReadonlyMap<string, number>;
  /** What must not have happened; nothing, if all went well. */
  readonly faults: readonly string[];
  readonly events: number;
  readonly acknowledged: number;
  readonly connections: number;
  /** The codes of all that was refused meanwhile. */
  readonly refusals: ReadonlyMap<string, number>;
}

const SESSIONS = 3;
const WRITERS_EACH = 2;
const SUBSCRIBERS_EACH = 6;

/** Codes that say: come again. */
const PASSING = ['TIMEOUT', 'SHUTTING_DOWN'];

/** Two gateways under load while their servers are restarted, they are killed and connections are cut. Every subscriber must have each event once, in order. */
export async function runChaos({ bus, seconds }: ChaosOptions): Promise<ChaosReport> {
  const world = await openWorld(bus);
  const [enough, over] = [new AbortController(), new AbortController()];
  setMaxListeners(0, over.signal);
  const following: Promise<void>[] = [];
  try {
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => createSession(world)));
    const writers = sessions.flatMap((sessionId) =>
      Array.from({ length: WRITERS_EACH }, (_, name) => new Writer(world, sessionId, `w${name}`)),
    );
    const subscribers = sessions.flatMap((sessionId) =>
      Array.from(
        { length: SUBSCRIBERS_EACH },
        (_, index) => new Subscriber(world, sessionId, index % 3 === 2 ? 'stream' : 'socket'),
      ),
    );
    following.push(...subscribers.map((subscriber) => subscriber.followUntil(over.signal)));
    const writing = Promise.all(writers.map((writer) => writer.writeUntil(enough.signal)));
    const done = await breakThings(world, bus, seconds);
    enough.abort();
    await writing;
    const truth = await readTruth(world, sessions);
    const faults = [
      ...missing(writers, truth),
      ...(await untold(subscribers, truth)),
      ...strange([...writers, ...subscribers]),
      ...world.replicas.flatMap(({ errors }) => errors.map((line) => `logged: ${line}`)),
    ];
    return {
      done,
      faults,
      events: sum([...truth.values()].map(({ length }) => length)),
      acknowledged: sum(writers.map(({ acknowledged }) => acknowledged.length)),
      connections: sum(subscribers.map(({ connections }) => connections)),
      refusals: merged([...writers, ...subscribers]),
    };
  } finally {
    enough.abort();
    over.abort();
    await Promise.all(following);
    await world.close();
  }
}

async function createSession(world: World): Promise<string> {
  const sessionId = randomUUID();
  const query = 'mutation ($i: CreateSessionInput!) { createSession(input: $i) { session { id } } }';
  const reply = await post(world, query, { i: { sessionId } });
  if (reply?.errors !== undefined || !reply?.data) throw new Error(`No session: ${JSON.stringify(reply)}`);
  return sessionId;
}

/** Breaks one thing after the other, each kind at least once, and leaves everything running. */
async function breakThings(
  world: World,
  bus: BusKind,
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  const done = new Map<string, number>();
  const { postgres, redis, gates, replicas } = world;
  const restart = async (
    server: typeof postgres | typeof redis,
    signal: 'INT' | 'QUIT' | 'TERM' | 'KILL',
  ) => {
    await server.stop(signal);
    await sleep(Math.random() * 500);
    await server.start();
  };
  const other = (index: 0 | 1) => replicas[index === 0 ? 1 : 0];
  const endReplica = async (index: 0 | 1, signal: 'KILL' | 'TERM') => {
    // While the other one cannot take its clients there would be no load.
    await running(other(index));
    count(done, `replica ${signal}`);
    await replicas[index].restart(signal);
  };
  const cut = async (gate: keyof typeof gates) => {
    for (let round = 0; round < 5; round++) {
      if (gates[gate].cut(0.3) > 0) count(done, `connections cut: ${gate}`);
      await sleep(200);
    }
  };
  const steps: readonly (() => Promise<void>)[] = [
    () => cut('clients'),
    () => endReplica(0, 'KILL'),
    () => cut('postgres'),
    () => restart(postgres, 'INT').then(() => count(done, 'PostgreSQL restarted')),
    () => cut('clients'),
    () => endReplica(1, 'TERM'),
    () => (bus === 'Redis' ? cut('redis') : cut('postgres')),
    () => restart(redis, 'KILL').then(() => count(done, 'Redis restarted')),
    () => cut('clients'),
    () => restart(postgres, 'QUIT').then(() => count(done, 'PostgreSQL crashed')),
    () => endReplica(1, 'KILL'),
    () => endReplica(0, 'TERM'),
  ];
  const end = performance.now() + seconds * 1_000;
  for (let step = 0; step < steps.length || performance.now() < end; step++) {
    await steps[step % steps.length]?.();
    await Promise.all(replicas.map((replica) => replica.revive()));
    await sleep(300);
  }
  await Promise.all(replicas.map(running));
  for (const { abandoned } of replicas) {
    for (let times = 0; times < abandoned; times++) count(done, 'replica not done in time after TERM');
  }
  return done;
}

const running = (replica: Replica) =>
  until(`a replica at ${replica.port}`, async () => {
    await replica.revive();
    return replica.listens;
  });

/** The events of each session as the database has them. */
async function readTruth({ postgres }: World, sessions: readonly string[]) {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const truth = new Map<string, readonly string[]>();
    for (const sessionId of sessions) {
      const { rows } = await client.query<{ id: string }>(
        'SELECT event_id AS id FROM event WHERE session_id = $1 ORDER BY number',
        [sessionId],
      );
      truth.set(
        sessionId,
        rows.map(({ id }) => id),
      );
    }
    return truth;
  } finally {
    await client.end();
  }
}

type Truth = ReadonlyMap<string, readonly string[]>;

/** What was acknowledged and is not there, or is in another order than it was written in. */
function missing(writers: readonly Writer[], truth: Truth): readonly string[] {
  return writers.flatMap(({ sessionId, name, acknowledged }) => {
    const mine = new Set(acknowledged);
    const there = truth.get(sessionId)?.filter((id) => mine.has(id)) ?? [];
    const wrong = acknowledged.findIndex((id, index) => there[index] !== id);
    return wrong < 0
      ? []
      : [`${name} of ${sessionId}: acknowledged ${acknowledged[wrong]}, found ${there[wrong]}`];
  });
}

/** Which subscribers have not been told each event once, in order, when they had all the time that they may need. */
async function untold(subscribers: readonly Subscriber[], truth: Truth): Promise<readonly string[]> {
  const due = ({ sessionId }: Subscriber) => truth.get(sessionId) ?? [];
  const isTold = (subscriber: Subscriber) => subscriber.seen.length >= due(subscriber).length;
  await until('that all are told', () => Promise.resolve(subscribers.every(isTold))).catch(() => undefined);
  return subscribers.flatMap((subscriber, index) => {
    const [events, { seen }] = [due(subscriber), subscriber];
    if (seen.length === events.length && seen.every((id, at) => id === events[at])) return [];
    const wrong = seen.findIndex((id, at) => id !== events[at]);
    return [
      `subscriber ${index}: ${seen.length} of ${events.length} events, the first wrong at ${wrong}: ${seen[wrong]}`,
    ];
  });
}

interface Refused {
  readonly refusals: ReadonlyMap<string, number>;
}

const strange = (all: readonly Refused[]): readonly string[] =>
  [...merged(all)]
    .filter(([code]) => !PASSING.includes(code))
    .map(([code, times]) => `refused: ${code}, ${times} times`);

function merged(all: readonly Refused[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { refusals } of all) {
    for (const [code, times] of refusals) counts.set(code, (counts.get(code) ?? 0) + times);
  }
  return counts;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The report, for people. */
export function describeChaos({
  done,
  faults,
  events,
  acknowledged,
  connections,
  refusals,
}: ChaosReport): string {
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([what, times]) => `${what} ${times}×`).join(', ') || 'nothing';
  return [
    `${events} events, ${acknowledged} acknowledged, to ${SESSIONS * SUBSCRIBERS_EACH} subscribers over ${connections} connections`,
    `  done: ${list(done)}`,
    `  refused meanwhile: ${list(refusals)}`,
    ...(faults.length === 0
      ? ['  each subscriber had each event once, in order; nothing is missing']
      : faults),
  ].join('\n');
}
