/** Another process of the same server, which appends events: `writer.ts DATABASE_URL TOKEN SESSION BUS`. */
import { authenticate } from '../../../src/accounts/authenticate.js';
import { readConfig } from '../../../src/config.js';
import { appendEvents } from '../../../src/events/append.js';
import { startGateway } from '../../../src/gateway.js';
import { type BusName, benchVariables, messageOf } from '../house.js';
import type { WriteOrder } from './messages.js';

const [url = '', token = '', sessionId = '', bus = 'postgresql'] = process.argv.slice(2);
const { means } = await startGateway(readConfig(benchVariables(bus as BusName, url)));
const operation = { ...means, viewer: await authenticate(means.database, token) };

process.on('message', async ({ ids, bytes }: WriteOrder) => {
  await appendEvents(
    operation,
    sessionId,
    ids.map((id) => messageOf(id, bytes)),
  );
  process.send?.('written');
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
