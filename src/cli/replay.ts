import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Progress } from './progress.js';
import { addressOf, createSession, findServer, SERVER_OPTIONS } from './server.js';
import { askOver, inWords, upload } from './uploads.js';
import { type Command, CommandError, type Environment, type Given, misfit } from './usage.js';

export const REPLAY: Command = {
  name: 'replay',
  operand: 'FILE',
  about: 'Stream a recording of an agent into a new session of a running server, at its own pace.',
  options: {
    ...SERVER_OPTIONS,
    format: { value: 'NAME', about: 'What the recording is; by default it is recognised.' },
    title: { value: 'TEXT', about: "The session's title; by default the file's name." },
    account: {
      value: 'ID',
      about: "The session's owner; by default the demo's member, else the credential's account.",
    },
    pace: { value: 'LINES', about: 'Lines a second; 25 by default.' },
    fast: { about: 'As fast as the server takes it.' },
  },
  run: replay,
};

async function replay(given: Given, env: Environment): Promise<number> {
  const file = given.operand ?? '';
  const pace = readPace(given);
  const address = addressOf(given, env);
  const recording = await openRecording(file);
  try {
    const server = await findServer(address, given, env);
    const session = await createSession(server, {
      title: given.text('title') ?? file.split('/').at(-1) ?? file,
    });
    console.log(session.url);
    const progress = new Progress();
    const { size } = await recording.stat();
    const lines = paced(recording, pace, (done, line) => progress.show(done / size, `${line} lines`));
    const format = given.text('format');
    const query = format === undefined ? '' : `?format=${encodeURIComponent(format)}`;
    const path = `/ingest/${session.sessionId}${query}`;
    const request = askOver(server)('POST', path);
    const answer = await upload(server.url, request, lines).finally(() => progress.end());
    console.log(inWords(answer));
    return 0;
  } finally {
    await recording.close();
  }
}

async function openRecording(file: string): Promise<FileHandle> {
  const found = await open(file).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`Expected a recording to replay: ${file} cannot be read (${cause.code}).`);
  });
  if ((await found.stat()).isFile()) return found;
  await found.close();
  throw new CommandError(`Expected a recording to replay: ${file} is no file.`);
}

/** The file line by line, each in its time; `onLine` hears how many bytes and lines are out. */
async function* paced(
  recording: FileHandle,
  pace: number,
  onLine: (bytes: number, lines: number) => void,
): AsyncGenerator<string> {
  let [bytes, lines] = [0, 0];
  for await (const line of recording.readLines({ autoClose: false })) {
    yield `${line}\n`;
    bytes += Buffer.byteLength(line) + 1;
    lines += 1;
    onLine(bytes, lines);
    if (pace !== Number.POSITIVE_INFINITY) await sleep(1_000 / pace);
  }
}

function readPace(given: Given): number {
  const pace = Number(given.text('pace') ?? 25);
  if (given.flag('fast')) return Number.POSITIVE_INFINITY;
  if (pace > 0 && pace <= 1_000_000) return pace;
  throw misfit('pace', 'lines a second, more than 0 and at most 1000000', given.text('pace') ?? '');
}
