#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { main } from './cli/main.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await main(process.argv.slice(2), process.env);
