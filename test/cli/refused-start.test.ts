import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.js';

const directory = mkdtempSync(join(tmpdir(), 'tidings-refused-'));
afterAll(() => rmSync(directory, { recursive: true }));
const inside = (name: string) => join(directory, name);

/** A directory whose database cannot be read, by root neither: permissions would not stop it. */
function unreadable(): string {
  symlinkSync('database', inside('database'));
  return directory;
}

describe('a server that is set up wrongly', () => {
  it.each([
    // Nobody can make a directory there, and making it step by step never ends.
    [{ DATA_DIR: '/proc/nowhere/x' }, /^DATA_DIR: expected .*, got \/proc\/nowhere\/x \(ENOENT/],
    [{ DATA_DIR: join(import.meta.filename, 'x') }, /^DATA_DIR: .*\(ENOTDIR/],
    [{ DATA_DIR: import.meta.filename }, /^DATA_DIR: .*\(EEXIST/],
    [{ DATA_DIR: unreadable() }, /^DATA_DIR: .*\(ELOOP/],
    [{ HOST: 'nowhere.invalid' }, /HOST: expected .*, got "nowhere\.invalid"/],
    [{ HOST: '203.0.113.1' }, /HOST: expected .*, got "203\.0\.113\.1" \(EADDRNOTAVAIL\)/],
    [{ TIDINGS_TITLES: inside('none.json') }, /TIDINGS_TITLES: expected .*none\.json" \(ENOENT\)/],
    [{ DATABASE_URL: 'postgresql://127.0.0.1:5432/tidings' }, /^DATABASE_URL: .*names a user/],
  ])('%j says at once which variable is wrong', async (env, reason) => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const code = await main(['serve'], { DATA_DIR: inside('new'), PORT: '0', ...env });
    const [[text] = []] = said.mock.calls;
    said.mockRestore();
    expect(text).toMatch(reason);
    expect([code, String(text).includes('    at ')]).toEqual([1, false]);
    expect(existsSync(inside('new'))).toBe(false);
  });
});
