/**
 * The page by PostGraphile on the same tables, as its documentation sets it up: the preset Amber over makePgService. A smart tag tells
 * it of the one relation that is no foreign key.
 */
import './with-resolvers.js';
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { makeJSONPgSmartTagsPlugin } from 'postgraphile/utils';
import { standingOf } from './page-data.js';

const relations = makeJSONPgSmartTagsPlugin({
  version: 1,
  config: {
    class: {
      citation: {
        tags: {
          foreignKey:
            '(session_id, source_ref) references source (session_id, source_ref)|@fieldName knownSource',
        },
      },
    },
  },
});

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [relations],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false },
  grafast: {
    explain: false,
    context: async ({ node }) => ({ standing: await standingOf(node?.req.headers.authorization) }),
  },
};

const pgl = postgraphile(preset);
const server = createServer();
server.on('error', (error) => console.error(error));
await pgl.createServ(grafserv).addTo(server);
server.listen(Number(process.env.PORT), '127.0.0.1');
