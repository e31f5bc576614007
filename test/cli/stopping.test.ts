import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { begin } from './command.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-stopping-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Keeps the process alive for ever, as whatever is left open by mistake would. */
const LEAK = '--import=data:text/javascript,setInterval(()=>0,1e8)';

it('a server that was told to stop ends, whatever is left open, and says so', async () => {
  const { child, output, ended } = begin(['serve'], {
    DATA_DIR: directory,
    PORT: '0',
    TIDINGS_DEMO: 'off',
    NODE_OPTIONS: LEAK,
  });
  try {
    await vi.waitFor(() => expect(output.out).toContain('"listening"'), { timeout: 120_000 });
    child.kill('SIGTERM');
    const { code, out } = await ended;
    const last = JSON.parse(out.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ level: 60, left: expect.arrayContaining(['Timeout']) });
    expect(code).toBe(1);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}, 180_000);
