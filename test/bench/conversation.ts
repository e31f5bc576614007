import type { Pool } from 'pg';
import { createToken } from '../../src/accounts/tokens.js';
import { fold } from '../../src/conversations/folding.js';
import { entryListKey } from '../../src/conversations/topics.js';
import { encodeCursor, logTag } from '../../src/graphql/cursors.js';
import { type BenchOptions, median, openBenchHouse } from './house.js';

const BATCH = 2_000;
/** `length` is characters of a message at the median. */
const FULL = { messages: 100_000, length: 5_000 };
const QUICK = { messages: 10_000, length: 400 };

const QUERY = `query ($before: String, $search: String) {
  conversation { entries(before: $before, search: $search) {
    nodes { ... on MessageEntry { content } } pageInfo { hasNextPage hasPreviousPage }
  } }
}`;

/** What is looked for, where it is, and what makes it hard. Rare texts are in three of the first messages. */
const SEARCHES: readonly (readonly [search: string, about: string])[] = [
  ['ka', '2 characters, frequent'],
  ['q7', '2 characters, rare'],
  ['z9', '2 characters, nowhere'],
  ['tor', '3 characters, frequent'],
  ['qzx', '3 characters, rare'],
  ['xqj', '3 characters, nowhere'],
  ['zugunruhe of warblers', '20 characters, rare'],
  ['zugunruhe of swallows', '20 characters, nowhere'],
  ['torikalutorikalutori', '20 characters, nowhere, all trigrams frequent'],
  ['перелёт', 'another script, rare'],
  ['перелёты птиц', 'another script, nowhere'],
];
const RARE = 'q7 qzx zugunruhe of warblers перелёт';

/** Pages and searches of a conversation of 100,000 messages, over HTTP. Its rows are written past the gateway, in minutes, not hours. */
export async function conversation({ quick }: BenchOptions): Promise<void> {
  const house = await openBenchHouse();
  try {
    const size = quick ? QUICK : FULL;
    const begun = performance.now();
    await fill(house.database.pool, house.sessionId, size);
    console.log(`Written and indexed in ${Math.round((performance.now() - begun) / 1_000)} s.`);
    const scopes = ['conversation:read' as const];
    const run = { kind: 'RUN' as const, sessionId: house.sessionId, scopes, ttlSeconds: 3_600 };
    const { secret } = await createToken(house.database, run);
    const runs = quick ? 3 : 15;
    console.log(
      `${size.messages} messages of ${size.length} characters at the median, ${house.kind}, median of ${runs}`,
    );
    const before = (number: number) => encodeCursor(logTag(entryListKey(house.sessionId)), number);
    const places = { head: undefined, middle: before(size.messages / 2), beginning: before(51) };
    for (const [place, cursor] of Object.entries(places)) {
      await report(`a page of 50 at the ${place}`, runs, () => ask(house.url, secret, { before: cursor }));
    }
    for (const [search, about] of SEARCHES) {
      await report(`${about}: ${search}`, runs, () => ask(house.url, secret, { search }));
    }
  } finally {
    await house.close();
  }
}

interface Answer {
  readonly data: {
    readonly conversation: { readonly entries: { readonly nodes: readonly object[] } | null };
  };
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** What came: how many messages, or the code of the refusal. */
async function ask(url: string, token: string, variables: object): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: QUERY, variables }),
  });
  const { data, errors } = (await response.json()) as Answer;
  return errors?.[0]?.extensions.code ?? `${data.conversation.entries?.nodes.length} messages`;
}

/** The first is for the just-in-time compiler, unless it takes seconds: then it is all. */
async function report(what: string, runs: number, work: () => Promise<string>): Promise<void> {
  const times: number[] = [];
  let came = '';
  for (let run = 0; run <= runs && (times[0] ?? 0) < 1_000; run += 1) {
    const begun = performance.now();
    came = await work();
    times.push(performance.now() - begun);
  }
  const shown = median(times.length > 1 ? times.slice(1) : times).toFixed(1);
  console.log(`  ${what.padEnd(66)} ${shown.padStart(8)} ms  ${came}`);
}

/** As the gateway would have written it: each message an event, an entry and a change. The index of trigrams is made at the end, at once. */
async function fill(pool: Pool, sessionId: string, { messages: count, length }: typeof FULL): Promise<void> {
  const { rows } = await pool.query<{ readonly definition: string }>(
    `SELECT pg_get_indexdef('conversation_entry_session_id_folded_idx'::regclass) AS definition`,
  );
  await pool.query('DROP INDEX conversation_entry_session_id_folded_idx');
  const textOf = textsOf(length);
  for (let from = 1; from <= count; from += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, index) => {
      const number = from + index;
      const text = textOf(number <= 3);
      return {
        number,
        payload: JSON.stringify({ messageId: `m${number}`, text, isInitial: false, files: [] }),
        folded: fold(text),
      };
    });
    await pool.query(INSERT, [sessionId, JSON.stringify(messages)]);
  }
  await pool.query(
    'UPDATE session SET event_head = $2, entry_head = $2, change_head = $2, projected_head = $2 WHERE id = $1',
    [sessionId, count],
  );
  const client = await pool.connect();
  await client.query(`SET statement_timeout = 0; SET maintenance_work_mem = '512MB'`);
  await client.query(rows[0]?.definition ?? '');
  await client.query('VACUUM ANALYZE event, conversation_entry, conversation_change');
  client.release(true);
}

const INSERT = `WITH sent AS (
  SELECT * FROM json_to_recordset($2::json) AS m (number int, payload text, folded text)
), events AS (
  INSERT INTO event (session_id, number, event_id, kind, created_at, payload, content_hash, resource_id)
  SELECT $1::uuid, number, 'e' || number, 'user_message', now(), payload::jsonb, '', 'm' || number FROM sent
), entries AS (
  INSERT INTO conversation_entry (session_id, number, type, key, event_number, position, created_at, folded)
  SELECT $1::uuid, number, 'MESSAGE', 'user:m' || number, number, 0, now(), folded FROM sent
)
INSERT INTO conversation_change (session_id, number, entry_number, type) SELECT $1::uuid, number, number, 'MESSAGE' FROM sent`;

const SYLLABLES = [
  'ka',
  'to',
  'ri',
  'lu',
  'me',
  'no',
  'san',
  'tor',
  'el',
  'ba',
  'di',
  'fu',
  'gen',
  'hi',
  'pra',
  'sto',
  'vem',
  'wil',
  'you',
  'and',
];

/** Texts of made-up words, of which few are frequent and most are rare, as in any language; always the same ones. */
function textsOf(length: number): (rare: boolean) => string {
  const random = randomOf(1);
  const word = () =>
    Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
    ).join('');
  const words = Array.from({ length: 20_000 }, word);
  return (rare) => {
    // From a quarter to four times the median.
    const size = length * 4 ** (random() * 2 - 1);
    let text = rare ? RARE : '';
    while (text.length < size) text += ` ${words[Math.floor(words.length * random() ** 4)]}`;
    return text;
  };
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
