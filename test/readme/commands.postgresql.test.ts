import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgres } from '../database.js';
import { guide, readBlocks } from './document.js';
import { openShell } from './shell.js';

const bash = (heading: string) =>
  readBlocks(guide)
    .filter((block) => block.language === 'bash' && block.heading === heading)
    .map(({ text }) => text);

let postgres: Awaited<ReturnType<typeof createPostgres>>;
let shell: Awaited<ReturnType<typeof openShell>>;
beforeAll(async () => {
  postgres = await createPostgres();
  shell = await openShell({ DATABASE_URL: postgres.url });
});
afterAll(async () => {
  await shell.close();
  await postgres.drop();
});

it('runs on PostgreSQL as the README says, where the first account is made on the command line', async () => {
  const [serve = '', ...others] = bash('Databases');
  expect(others).toEqual([]);
  await shell.serve(serve.replace('postgresql://user:password@localhost:5432/tidings', postgres.url));
  const [createAccount = ''] = bash('Accounts and tokens');
  const { accountId } = JSON.parse(await shell.run(createAccount));
  const secret = await shell.run(`node dist/cli.js token create --account ${accountId}`);
  const response = await fetch(`${shell.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret.trim()}` },
    body: JSON.stringify({ query: '{ viewer { role account { accountId } } sessions { totalCount } }' }),
  });
  expect((await response.json()).data).toEqual({
    viewer: { role: 'ADMIN', account: { accountId } },
    sessions: { totalCount: 0 },
  });
});
