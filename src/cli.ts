#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { main } from './cli/main.js';

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = loadVariables('.env') ? await main(process.argv.slice(2), process.env) : 1;

function loadVariables(file: string): boolean {
  try {
    if (existsSync(file)) process.loadEnvFile(file);
    return true;
  } catch (error) {
    console.error(`Expected variables in the file ${file}, which cannot be read (${String(error)}).`);
    return false;
  }
}
