import { afterEach, expect, it, vi } from 'vitest';
import { Progress } from '../../src/cli/progress.js';

const { isTTY } = process.stderr;
afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.restoreAllMocks();
});

/** What a bar that is shown these parts draws. */
function draw(isTerminal: boolean, ...parts: readonly number[]): string {
  process.stderr.isTTY = isTerminal;
  let drawn = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    drawn += text;
    return true;
  });
  const progress = new Progress();
  for (const part of parts) progress.show(part, 'file');
  progress.end();
  return drawn;
}

it('fills a bar on a terminal, in place, and draws nothing twice', () => {
  const [before, half, full] = draw(true, 0.5, 0.5, 1).split('\r');
  expect(before).toBe('');
  expect(half).toMatch(/█{16}░{16} 50% file$/);
  expect(full).toMatch(/█{32} 100% file\n$/);
});

it('shows nothing where no person watches', () => {
  expect(draw(false, 0.5, 1)).toBe('');
});
