import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/schema.js';
import { type Asked, ask } from './ask.js';
import { type Answer, NODES, ROWS, type Row } from './table.js';
import { globalIds, NOBODIES, openWorld, PEOPLE, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const types = Object.values(schema.getTypeMap()).filter(isObjectType);

describe('the table of access', () => {
  it('has a row for every root field and every type of node', () => {
    const roots = ['Query', 'Mutation', 'Subscription'];
    const fields = types
      .filter(({ name }) => roots.includes(name))
      .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
    expect([...new Set(ROWS.map(({ field }) => field))].sort()).toEqual(fields.sort());
    const nodes = types.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
    expect(Object.keys(NODES).sort()).toEqual(nodes.map(({ name }) => name).sort());
  });
});

/** The answer as the table says it. */
function answerOf({ status, text, body }: Asked, shown: string | undefined): Answer | string {
  const [error] = body.errors ?? [];
  if (error !== undefined) {
    // Nothing of what is refused is in the refusal.
    expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
    return String(error.extensions.code);
  }
  expect(status).toBe(200);
  return shown === undefined || text.includes(shown) ? 'shows' : 'hides';
}

const nameOf = ({ field, about }: Row) => (about === undefined ? field : `${field}, ${about}`);

describe.each(ROWS.map((row) => [nameOf(row), row] as const))('%s', (_, row) => {
  it('answers each as the table has it', async () => {
    const answers: Record<string, string> = {};
    for (const who of PEOPLE) {
      const variables = (await row.variables?.(world, who)) ?? {};
      const asked = await ask(world, world.tokens[who], row.document, variables);
      answers[who] = answerOf(asked, row.shown?.(world));
    }
    const { others, ...named } = row.answers;
    expect(answers).toEqual({ ...Object.fromEntries(PEOPLE.map((who) => [who, others])), ...named });
  });

  it('is refused without a credential in force, and the same for each of those', async () => {
    const variables = (await row.variables?.(world, 'owner')) ?? {};
    const refusals: string[] = [];
    for (const nobody of NOBODIES) {
      const { status, text, body } = await ask(world, world.nobodies[nobody], row.document, variables);
      expect([status, Object.keys(body), body.errors?.map(({ extensions }) => extensions)]).toEqual([
        401,
        ['errors'],
        [{ code: 'UNAUTHENTICATED' }],
      ]);
      if (!['none', 'malformed'].includes(nobody)) refusals.push(text);
    }
    expect(new Set(refusals).size).toBe(1);
  });
});

describe('node', () => {
  it.each(Object.entries(NODES))(
    'shows %s to whom the table says, and null to others',
    async (type, seers) => {
      const ids = await globalIds(world);
      const id = ids.get(type);
      if (id === undefined) throw new Error(`Expected one ${type}.`);
      const answers: [string, unknown][] = [];
      for (const who of PEOPLE) {
        const asked = await ask(
          world,
          world.tokens[who],
          'query ($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id]) { __typename id } }',
          { id },
        );
        answers.push([who, { data: asked.body.data, errors: asked.body.errors }]);
      }
      const shown = { __typename: type, id };
      expect(answers).toEqual(
        PEOPLE.map((who) => {
          const node = seers.includes(who) ? shown : null;
          return [who, { data: { node, nodes: [node] } }];
        }),
      );
    },
  );
});
