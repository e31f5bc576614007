import { randomUUID } from 'node:crypto';
import { type GraphQLInputType, getNamedType, isInputObjectType, isObjectType, isScalarType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/schema.js';
import { ask } from './ask.js';
import { globalIds, openWorld, type Person, type World } from './world.js';

let world: World;
let elicitation: string;
let credential: string;
beforeAll(async () => {
  world = await openWorld();
  elicitation = await world.askOwner();
  credential = await world.issueRun();
});
afterAll(() => world.close());

interface Case {
  /** The place in the schema at which the id is given. */
  readonly place: string;
  /** One that may ask, but not for this. */
  readonly who: Person;
  readonly document: string;
  /** What is there and foreign. */
  readonly foreign: () => string;
  readonly variables: (id: string) => object;
}

const mutation = (name: string) =>
  `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename } }`;

/** A mutation whose input has the id under a name, and whatever else it needs. */
const inInput = (
  name: string,
  field: string,
  who: Person,
  foreign: () => string,
  rest: object = {},
): Case => ({
  place: `${name}.input.${field}`,
  who,
  document: mutation(name),
  foreign,
  variables: (id) => ({ input: { ...rest, [field]: id } }),
});

const session = () => world.sessionId;
const anElicitation = () => elicitation;
const owner = () => world.accounts.owner.accountId;

const CASES: readonly Case[] = [
  {
    place: 'session.sessionId',
    who: 'colleague',
    document: 'query ($id: ID!) { session(sessionId: $id) { title } }',
    foreign: session,
    variables: (id) => ({ id }),
  },
  {
    place: 'elicitation.elicitationId',
    who: 'colleague',
    document: 'query ($id: ID!) { elicitation(elicitationId: $id) { message } }',
    foreign: anElicitation,
    variables: (id) => ({ id }),
  },
  {
    place: 'sessionEvents.sessionId',
    who: 'colleague',
    document: 'subscription ($id: ID!) { sessionEvents(sessionId: $id) { caughtUp } }',
    foreign: session,
    variables: (id) => ({ id }),
  },
  inInput('updateSession', 'sessionId', 'colleague', session, { title: 'x' }),
  inInput('updateSession', 'sessionId', 'admin', session, { title: 'x' }),
  inInput('sendMessage', 'sessionId', 'colleague', session, { text: 'x' }),
  inInput('answerQuestion', 'sessionId', 'colleague', session, {
    questionId: 'q1',
    answers: [{ questionId: 'q1a', optionIds: ['o2'] }],
  }),
  inInput('stopSession', 'sessionId', 'colleague', session),
  inInput('appendSessionEvents', 'sessionId', 'strangerService', session, {
    events: [{ sessionIdle: { eventId: 'new' } }],
  }),
  inInput('upsertSources', 'sessionId', 'strangerService', session, {
    sources: [{ sourceRef: 's1', authors: [], studyTypeTags: [] }],
  }),
  inInput('createSession', 'accountId', 'strangerService', owner),
  inInput('requestElicitation', 'sessionId', 'colleague', session, { message: 'x' }),
  inInput('requestElicitation', 'sessionId', 'strangerService', session, { message: 'x' }),
  inInput('requestElicitation', 'accountId', 'strangerService', owner, { message: 'x' }),
  inInput('approveElicitation', 'elicitationId', 'colleague', anElicitation),
  inInput('rejectElicitation', 'elicitationId', 'colleague', anElicitation),
  inInput('cancelElicitation', 'elicitationId', 'colleague', anElicitation),
  // The one who is asked sees it, and may neither cancel nor consume it.
  inInput('cancelElicitation', 'elicitationId', 'owner', anElicitation),
  inInput('consumeElicitation', 'elicitationId', 'colleague', anElicitation),
  inInput('consumeElicitation', 'elicitationId', 'owner', anElicitation),
  inInput('issueCredential', 'sessionId', 'colleague', session, { kind: 'RUN', ttlSeconds: 60 }),
  inInput('issueCredential', 'accountId', 'colleague', owner, { kind: 'PERSONAL' }),
  inInput('revokeCredential', 'credentialId', 'colleague', () => credential),
];

/** Ids that name nothing of anybody else's: what they are looked for in is named beside them, or they are the caller's to choose. */
const OWN = [
  'answerQuestion.input.questionId',
  'createSession.input.sessionId',
  'sendMessage.input.messageId',
];

/** The places at which a root field takes an id, but for `node` and `nodes`, which take every kind. */
function placesOfIds(): string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, args }) =>
        args.flatMap((arg) => placesWithin(`${name}.${arg.name}`, arg.type)),
      ),
    );
}

function placesWithin(place: string, type: GraphQLInputType): string[] {
  const named = getNamedType(type);
  if (isScalarType(named)) return named.name === 'ID' ? [place] : [];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    return isScalarType(inner) && inner.name === 'ID' ? [`${place}.${field.name}`] : [];
  });
}

/** The answer to an id, with what is not of the id: its bytes without it, and the statements that it took. */
async function answer(who: Person, document: string, id: string, variables: object) {
  let asked = { status: 0, text: '' };
  const statements = await world.database.statementsOf(async () => {
    asked = await ask(world, world.tokens[who], document, variables);
  });
  return { status: asked.status, text: asked.text.replaceAll(id, '<id>'), statements };
}

describe('the same answer, by the same statements, for what is foreign and what is not there', () => {
  it('is asked for wherever a root field takes an id', () => {
    const places = placesOfIds().filter((place) => !['node.id', 'nodes.ids', ...OWN].includes(place));
    expect([...new Set(CASES.map(({ place }) => place))].sort()).toEqual(places.sort());
  });

  it.each(CASES.map((one) => [`${one.place} by the ${one.who}`, one] as const))(
    'is given to %s (case 38)',
    async (_, { who, document, foreign, variables }) => {
      const asked = (id: string) => answer(who, document, id, variables(id));
      // Whatever is done once only is done.
      await asked(randomUUID());
      const [theirs, nothing, malformed] = [
        await asked(foreign()),
        await asked(randomUUID()),
        await asked('banana'),
      ];
      expect(theirs).toEqual(nothing);
      expect(theirs.text).toContain('"errors"');
      // What is no id takes no look-up, and is otherwise answered alike.
      expect({ ...malformed, statements: [] }).toEqual({ ...nothing, statements: [] });
    },
  );

  it('is given to every kind of global id', async () => {
    const document = 'query ($id: ID!) { node(id: $id) { __typename } nodes(ids: [$id]) { __typename } }';
    for (const [type, id] of await globalIds(world)) {
      const [, local = ''] = Buffer.from(id, 'base64').toString().split(/:(.*)/s);
      const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(local)?.[0] ?? '';
      const unknown = Buffer.from(`${type}:${local.replace(uuid, randomUUID())}`).toString('base64');
      const asked = (who: Person, global: string) => answer(who, document, global, { id: global });
      for (const who of ['stranger', 'strangerService', 'loner'] as const) {
        await asked(who, unknown);
        expect([type, await asked(who, id)]).toEqual([type, await asked(who, unknown)]);
      }
    }
  });

  it('is given at the door for raw streams', async () => {
    const upload = async (id: string) => {
      let reply = { status: 0, text: '' };
      const statements = await world.database.statementsOf(async () => {
        const response = await fetch(`${world.url}/ingest/${id}?format=anthropic-messages`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.tokens.strangerService}` },
          body: '{}\n',
        });
        reply = { status: response.status, text: await response.text() };
      });
      return { ...reply, statements };
    };
    expect(await upload(world.sessionId)).toEqual(await upload(randomUUID()));
  });
});
