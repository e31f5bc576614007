import { describe, expect, it } from 'vitest';
import type { PreparedPiece } from '../../src/ingest/append-piece.js';
import { preparePiece } from '../../src/ingest/append-piece.js';
import { Commits } from '../../src/ingest/commits.js';

const MB = 1024 * 1024;

/** A piece of so many events, read up to `objects` of a turn. */
const piece = (name: string, count = 1, objects = 1, turn = 'm1'): PreparedPiece =>
  preparePiece({
    events: Array.from({ length: count }, (_, index) => ({
      kind: 'session_idle',
      eventId: `${name}${index}`,
    })),
    ending: [],
    progress: [{ turn, objects }],
  });

/** Commits that end when the test says so. */
function openCommits() {
  const committed: PreparedPiece[] = [];
  const failures: unknown[] = [];
  const running: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const commits = new Commits(
    (given) => {
      committed.push(given);
      return new Promise<void>((resolve, reject) => running.push({ resolve, reject }));
    },
    (error) => failures.push(error),
  );
  const ids = () => committed.map(({ events }) => events.map(({ content }) => content.eventId).join());
  return { commits, committed, failures, running, ids };
}

/** Whether it is still pending after all that could happen has happened. */
async function isPending(promise: Promise<void>): Promise<boolean> {
  const isFirst = await Promise.race([
    promise.then(
      () => false,
      () => false,
    ),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
  ]);
  return isFirst;
}

describe('pieces of a stream', () => {
  it('are committed one transaction at a time, and those that come meanwhile together, in order', async () => {
    const { commits, committed, running, ids } = openCommits();
    commits.add(piece('a'), 1);
    commits.add(piece('b', 1, 5), 1);
    commits.add(piece('c', 2, 9), 1);
    commits.add(piece('d', 1, 2, 'm2'), 1);
    expect(ids()).toEqual(['a0']);
    running[0]?.resolve();
    await expect.poll(ids).toEqual(['a0', 'b0,c0,c1,d0']);
    expect(committed[1]?.progress).toEqual([
      { turn: 'm1', objects: 9 },
      { turn: 'm2', objects: 2 },
    ]);
    const settled = commits.settled();
    expect(await isPending(settled)).toBe(true);
    running[1]?.resolve();
    await settled;
    expect(ids()).toHaveLength(2);
  });

  it.each([
    ['events', piece('b', 2_000), 1],
    ['bytes', piece('b'), 2 * MB],
  ])('wait where the next transaction has enough %s', async (_, full, bytes) => {
    const { commits, running } = openCommits();
    commits.add(piece('a', 3_000), 8 * MB);
    await commits.room();
    commits.add(full, bytes);
    const room = commits.room();
    expect(await isPending(room)).toBe(true);
    running[0]?.resolve();
    await room;
    running[1]?.resolve();
    await commits.settled();
  });

  it('are not committed behind one that failed, which is told at once and to whoever waits', async () => {
    const { commits, failures, running, ids } = openCommits();
    commits.add(piece('a'), 1);
    commits.add(piece('b', 2_000), 1);
    const room = commits.room();
    const error = new Error('Superseded.');
    running[0]?.reject(error);
    await expect(room).rejects.toBe(error);
    await expect(commits.settled()).rejects.toBe(error);
    commits.add(piece('c'), 1);
    await expect(commits.settled()).rejects.toBe(error);
    expect(failures).toEqual([error]);
    expect(ids()).toEqual(['a0']);
  });
});
