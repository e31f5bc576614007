import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Unreachable } from './answers.js';
import { beginningOf, type FoundFile, findFiles, sessionIdOf } from './import-files.js';
import { ImportReport } from './import-report.js';
import { type ImportTarget, withTarget } from './import-target.js';
import { Progress } from './progress.js';
import { offsetOf, upload } from './uploads.js';
import { CommandError, type Environment, type Given } from './usage.js';

/** Imports what is given. The exit code says whether all of it went in. */
export async function importAll(given: Given, env: Environment): Promise<number> {
  const { files, others } = await findFiles(given.operands);
  const report = new ImportReport();
  const format = given.text('format');
  await withTarget(given, env, (target) => importEach(target, files, format, report)).catch((error) => {
    // What went in before is worth knowing, and is not sent again in vain.
    if (!report.isEmpty) tell(report, others);
    throw error;
  });
  tell(report, others);
  return report.isWhole ? 0 : 1;
}

function tell(report: ImportReport, others: number): void {
  for (const line of report.lines(others)) console.log(line);
}

/** One after the other: a file that fails keeps none of the others out. */
async function importEach(
  target: ImportTarget,
  files: readonly FoundFile[],
  format: string | undefined,
  report: ImportReport,
): Promise<void> {
  const progress = new Progress();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  try {
    for (const [at, file] of files.entries()) {
      const label = `${at + 1}/${files.length} ${basename(file.path)}`;
      const show = (bytes: number) => progress.show((done + bytes) / Math.max(1, total), label);
      show(0);
      await importFile(target, file, format, report, show);
      done += file.size;
    }
    if (files.length > 0) progress.show(1, `${files.length}/${files.length}`);
  } finally {
    progress.end();
  }
}

async function importFile(
  target: ImportTarget,
  file: FoundFile,
  named: string | undefined,
  report: ImportReport,
  show: (bytes: number) => void,
): Promise<void> {
  const { format = named, isSideChain } = await beginningOf(file.path);
  if (isSideChain) report.sideChain();
  else if (format === undefined) report.strange(file.path);
  else {
    const sessionId = await sessionIdOf(file, target.accountId);
    await target.createSession({ sessionId, title: basename(file.path).slice(0, MAX_TITLE).toWellFormed() });
    await sendFile(
      target,
      file,
      `/ingest/${sessionId}?format=${encodeURIComponent(named ?? format)}&stream=${STREAM}`,
      report,
      show,
    );
  }
}

const MAX_TITLE = 200;
/** What its one stream is called in a session that an import made. */
const STREAM = 'import';

async function sendFile(
  target: ImportTarget,
  { path, size }: FoundFile,
  to: string,
  report: ImportReport,
  show: (bytes: number) => void,
): Promise<void> {
  try {
    const read = await offsetOf(target.name, target.ask('HEAD', to));
    if (size > 0 && read === size) report.unchanged();
    else {
      // A file that is shorter than what was read of it is another, and begins anew.
      const from =
        read !== undefined && read < size
          ? { offset: read, headers: { 'ingest-offset': String(read) } }
          : ANEW;
      const body = watched(path, from.offset, show);
      report.imported(await upload(target.name, target.ask('POST', to, from.headers), body));
    }
  } catch (error) {
    // What one file holds is no reason to leave out the next.
    if (!(error instanceof CommandError) || error instanceof Unreachable) throw error;
    report.failed(path, error.message);
  }
}

const ANEW = { offset: 0, headers: {} };

/** A file's bytes from an offset on; `onBytes` hears how far it is. */
async function* watched(
  path: string,
  offset: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = offset;
  for await (const chunk of createReadStream(path, { start: offset })) {
    yield chunk;
    bytes += chunk.length;
    onBytes(bytes);
  }
}
