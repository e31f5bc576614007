import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEngine } from '../../src/database/engine.js';
import { enginePool } from '../../src/database/engine-pool.js';
import { asTimeout } from '../../src/database/faults.js';
import { readMigrations } from '../../src/database/migrations.js';
import { openDatabase } from '../../src/database/open.js';
import { buildTemplate, readTemplate } from '../../src/database/template.js';

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  await buildTemplate();
  database = await openDatabase({});
});
afterAll(() => database?.close());

const addAccount = `INSERT INTO account (id, name, created_at) VALUES ('${randomUUID()}', 'Ada', now())`;

/** A message of PostgreSQL's protocol: its type, if it has one, the length of the rest, the rest. */
function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const rest = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(rest.length + 4);
  return Buffer.concat([Buffer.from(type), length, rest]);
}

describe('the engine of the embedded database', () => {
  it('leaves the event loop free while a query runs', async () => {
    let turns = 0;
    let running = true;
    const turn = () => {
      turns++;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    await database.pool.query('SELECT count(*) FROM generate_series(1, 500000)');
    running = false;
    expect(turns).toBeGreaterThan(100);
  });

  it('carries megabytes both ways', async () => {
    const text = 'é'.repeat(3_000_000);
    const { rows } = await database.pool.query('SELECT $1::text AS text', [text]);
    expect(rows[0].text === text).toBe(true);
  });

  it('goes on after an error of SQL', async () => {
    await expect(database.pool.query('SELECT * FROM nowhere WHERE id = $1', [1])).rejects.toThrow('nowhere');
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('forgets what a cut connection had begun', async () => {
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query(addAccount);
    await client.query('CREATE TEMPORARY TABLE scratch (id INT)');
    client.release(new Error('cut'));

    expect(await database.prisma.account.count()).toBe(0);
    const { rows } = await database.pool.query(`SELECT to_regclass('scratch') AS scratch`);
    expect(rows).toEqual([{ scratch: null }]);
    await database.pool.query('ROLLBACK');
    await database.pool.query(addAccount);
    expect(await database.prisma.account.count()).toBe(1);
  });

  it('is a TIMEOUT to a transaction that finds the connection taken, and free again after', async () => {
    await database.prisma.$transaction(async () => {
      const second = database.prisma.$transaction((tx) => tx.account.count(), { maxWait: 1 });
      const error = await second.catch((thrown: unknown) => thrown);
      expect(asTimeout(error)).toMatchObject({ code: 'TIMEOUT' });
    });
    expect(await database.prisma.account.count()).toBeGreaterThanOrEqual(0);
  });

  it('takes a connection whose bytes come one by one', async () => {
    const template = await readTemplate(await readMigrations());
    const engine = await startEngine({ directory: null, template, extensions: [] });
    const connection = engine.connect();
    const answers: Buffer[] = [];
    connection.on('data', (data: Buffer) => answers.push(data));
    const version = Buffer.from([0, 3, 0, 0]);
    const startup = message('', version, 'user', 'postgres', 'database', 'postgres', Buffer.from([0]));
    for (const byte of Buffer.concat([startup, message('Q', `SELECT 'forty' || 'two'`)])) {
      connection.write(Buffer.from([byte]));
    }
    await vi.waitFor(() => expect(Buffer.concat(answers).toString('latin1')).toContain('fortytwo'));
    connection.end();
    await engine.close();
    // What asks a closed engine is told so instead of left waiting.
    const late = engine.connect();
    await expect(new Promise((_, reject) => late.once('error', reject))).rejects.toThrow('has ended');
  });

  it('knows the extensions that it was given', async () => {
    const template = await readTemplate(await readMigrations());
    const engine = await startEngine({ directory: null, template, extensions: ['citext'] });
    const pool = enginePool(engine);
    // One that no migration has created yet.
    await pool.query('CREATE EXTENSION citext');
    const { rows } = await pool.query(`SELECT 'A'::citext = 'a'::citext AS same`);
    expect(rows).toEqual([{ same: true }]);
    await pool.end();
    await engine.close();
    await expect(startEngine({ directory: null, template, extensions: ['nope'] })).rejects.toThrow('nope');
  });
});
