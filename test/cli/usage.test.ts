import { afterEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import { printedSchema } from '../../src/schema.js';

afterEach(() => vi.restoreAllMocks());

/** Runs a command in this process; what it prints is caught. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((text) => {
    printed.out += `${text}\n`;
  });
  vi.spyOn(console, 'error').mockImplementation((text) => {
    printed.err += `${text}\n`;
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += text;
    return true;
  });
  return { code: await main(args, env), ...printed };
}

describe('the command line', () => {
  it('lists its commands', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    const commands = [
      'serve',
      'account create',
      'account move',
      'account role',
      'account plan',
      'token create',
      'token list',
      'token revoke',
      'audit',
      'replay',
      'import',
      'schema',
    ];
    for (const command of commands) expect(out).toContain(`  ${command} `);
  });

  it('explains a command', async () => {
    const { code, out } = await run(['token', 'create', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: tidings token create \[options\]/);
    expect(out).toContain('--scope SCOPE');
  });

  it.each([
    [[], 'Expected a command.'],
    [['frob'], 'Unknown command: frob'],
    [['account'], 'account create'],
    [['serve', '--frob'], "Unknown option '--frob'"],
    [['serve', 'now'], 'Expected no "now" here.'],
    [['replay'], 'Expected FILE, got nothing.'],
    [['account', 'plan', '--account', 'x', '--api-access', 'maybe'], 'expected on or off, got "maybe"'],
  ])('does not understand %j, says why, and exits with 2', async (args, reason) => {
    const { code, out, err } = await run(args);
    expect(err).toContain(reason);
    expect(err).toContain('Usage: tidings');
    expect([code, out]).toEqual([2, '']);
  });

  it('names every variable that is wrong, and exits with 1', async () => {
    const { code, err } = await run(['serve'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(err).toContain('PORT: expected');
    expect(err).toContain('LOG_LEVEL: expected');
    expect(err).not.toContain('    at ');
  });

  it('says in one sentence that there is no such recording', async () => {
    const { code, err } = await run(['replay', 'nothing.jsonl']);
    expect([code, err]).toEqual([
      1,
      'Expected a recording to replay: nothing.jsonl cannot be read (ENOENT).\n',
    ]);
  });

  it('prints the schema', async () => {
    expect((await run(['schema'])).out).toBe(printedSchema());
  });
});
