import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { askServer } from '../../src/cli/operator-client.js';
import { openOperatorSocket } from '../../src/cli/operator-socket.js';
import { DEFAULT_TITLES } from '../../src/ingest/titles.js';
import { InProcessBus } from '../../src/live/in-process-bus.js';
import { Tails } from '../../src/live/tails.js';
import { openTestDatabase } from '../database.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-operator-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('says in its log why a command failed, and to the operator that it does', async () => {
  const database = await openTestDatabase();
  const logged: string[] = [];
  const log = pino({}, { write: (line) => void logged.push(line) });
  const onError = (error: unknown) => {
    throw error;
  };
  const bus = new InProcessBus(onError);
  const means = { database, bus, tails: new Tails({ bus, onError }), maxAnswer: 1_000_000 };
  const parts = { means, titles: DEFAULT_TITLES, config: { maxLine: 1_000_000, silenceMs: 120_000 } };
  const socket = await openOperatorSocket(directory, parts, log);
  const create = () => askServer(directory, 'account create', { name: 'Eve' });
  const failing = database.withFaults(() => new Error('the disk is on fire'), create);
  await expect(failing).rejects.toThrow('its log says why');
  expect(logged.join()).toContain('the disk is on fire');
  await expect(askServer(directory, 'account create', { name: '' })).rejects.toThrow('name');
  expect(logged).toHaveLength(1);
  expect(await create()).toMatchObject({ name: 'Eve' });
  await socket.close();
  await database.close();
});
