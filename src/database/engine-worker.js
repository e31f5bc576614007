// The thread that the embedded database runs in. JavaScript, because a thread starts from a file as it stands: this one is the same
// for dist/, for tsx and for vitest. It imports nothing of the project; its messages are typed in engine.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/** @typedef {import('./engine.js').EngineData} EngineData */
/** @typedef {import('./engine.js').EngineRequest} EngineRequest */
/** @typedef {import('./engine.js').EngineReply} EngineReply */
/** @typedef {import('node:worker_threads').MessagePort} MessagePort */

const main = required(parentPort);
/** @type {EngineData} */
const { directory, template, extensions } = workerData;

const database = await PGlite.create({
  dataDir: directory ?? 'memory://',
  extensions: await load(extensions),
  // A quarter of the default, which the system's own file cache doubles anyway: 110 MB less resident.
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB'],
  ...(template === null ? {} : { loadDataDir: new Blob([template]) }),
});

/** The one connection; whoever connects takes it over. @type {MessagePort | null} */
let current = null;
/** Everything that was asked for, in order: the engine does one thing at a time. */
let work = Promise.resolve();

main.on('message', (/** @type {EngineRequest} */ request) => enqueue(() => handle(request)));
reply({ kind: 'ready' });

/** @param {EngineRequest} request */
async function handle(request) {
  switch (request.kind) {
    case 'connect':
      return accept(request.port);
    case 'dump':
      return dump();
    case 'close':
      await database.close();
      current?.close();
      main.close();
  }
}

/**
 * A connection that was cut may have left a transaction, settings and prepared statements.
 * @param {MessagePort} port
 */
async function accept(port) {
  current = port;
  if (database.isInTransaction()) await database.exec('ROLLBACK');
  await database.exec('DISCARD ALL');
  port.on('message', (/** @type {Uint8Array<ArrayBuffer>} */ message) =>
    enqueue(() => answer(port, message)),
  );
}

/**
 * @param {MessagePort} port
 * @param {Uint8Array} message whole messages of PostgreSQL's protocol
 */
async function answer(port, message) {
  if (port !== current) return;
  await database.execProtocolRawStream(message, {
    // Copied: the engine reuses its buffer.
    onRawData: (data) => {
      const copy = data.slice();
      port.postMessage(copy, [copy.buffer]);
    },
  });
}

async function dump() {
  await database.exec('CHECKPOINT');
  const dumped = await database.dumpDataDir('gzip');
  reply({ kind: 'dumped', bytes: new Uint8Array(await dumped.arrayBuffer()) });
}

/** @param {readonly string[]} names of PGlite's own extensions */
async function load(names) {
  const loaded = names.map(async (name) => [
    name,
    (await import(`@electric-sql/pglite/contrib/${name}`))[name],
  ]);
  return Object.fromEntries(await Promise.all(loaded));
}

/**
 * A fault of the engine itself (never one of SQL, which is an answer) ends the thread: nothing after it could be trusted.
 * @param {() => Promise<void>} task
 */
function enqueue(task) {
  work = work.then(task);
}

/** @param {EngineReply} message */
function reply(message) {
  main.postMessage(message);
}

/**
 * @template T
 * @param {T | null} value
 * @returns {T}
 */
function required(value) {
  if (value === null) throw new Error('engine-worker.js is a thread of the gateway, not a program.');
  return value;
}
