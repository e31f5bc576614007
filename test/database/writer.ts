// A process for tests to kill: opens the embedded database in a directory and writes accounts as fast as it can, each name to stdout
// as soon as its write was acknowledged.

import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/database/open.js';

const [directory] = process.argv.slice(2);
const { prisma } = await openDatabase({ directory });
for (let number = 1; ; number++) {
  const name = `account ${number}`;
  await prisma.account.create({ data: { id: randomUUID(), name, createdAt: new Date() } });
  process.stdout.write(`${name}\n`);
}
