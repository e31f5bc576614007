import { randomUUID } from 'node:crypto';
import type { Person, World } from './world.js';

/**
 * What is answered: `shows` what the row is about; `hides` it, though something is answered; or the code of a refusal.
 */
export type Answer = 'shows' | 'hides' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT';

/** What each is answered; whoever is not named is answered as `others`. */
export type Answers = Partial<Record<Person, Answer>> & { readonly others: Answer };

export interface Row {
  /** A field of Query, Mutation or Subscription. */
  readonly field: string;
  /** What tells the row from others of the field. */
  readonly about?: string;
  readonly document: string;
  /** What is in an answer that `shows`; by default any answer without an error does. */
  readonly shown?: (world: World) => string;
  /** Fresh for each who asks, where one must not find what another one did. */
  readonly variables?: (world: World, who: Person) => object | Promise<object>;
  readonly answers: Answers;
}

const PEOPLE_OF_SESSION = { owner: 'shows', admin: 'shows', service: 'shows' } as const;
const RUNS = (answer: Answer) => ({ run: answer, blindRun: answer, otherRun: answer });
const SERVICES = (answer: Answer) => ({ service: answer, strangerService: answer });

/** Reads of the session, by whoever may read it. */
const readsSession = (run: Answer, others: Answer): Answers => ({
  ...PEOPLE_OF_SESSION,
  ...RUNS(run),
  others,
});

/** Writes to the session: an admin of the owner's reads it and no more. */
const writesSession: Answers = {
  owner: 'shows',
  service: 'shows',
  ...RUNS('FORBIDDEN'),
  others: 'NOT_FOUND',
};

const serviceAlone: Answers = { service: 'shows', strangerService: 'NOT_FOUND', others: 'FORBIDDEN' };

/** What was asked of the owner by the runtime. */
const asked = (others: Answer): Answers => ({ ...PEOPLE_OF_SESSION, run: 'shows', others });
const ofMe: Answers = { owner: 'shows', run: 'shows', blindRun: 'FORBIDDEN', others: 'hides' };
const ofOrganization: Answers = {
  admin: 'shows',
  service: 'shows',
  stranger: 'hides',
  strangerService: 'hides',
  others: 'FORBIDDEN',
};
const decides: Answers = {
  owner: 'shows',
  admin: 'shows',
  ...RUNS('FORBIDDEN'),
  ...SERVICES('FORBIDDEN'),
  others: 'NOT_FOUND',
};
const ownConversation = (refused: Answer): Answers => ({ run: 'shows', otherRun: 'hides', others: refused });

const QUESTION = 'Private question?';
const TITLE = 'Private session';
const session = ({ sessionId }: World) => ({ sessionId });
const decided = async (world: World) => {
  const elicitationId = await world.askOwner();
  await world.mutate('owner', 'approveElicitation', { elicitationId }, 'elicitation { status }');
  return { input: { elicitationId } };
};

const mutation = (name: string, selection: string) =>
  `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${selection} } }`;

export const ROWS: readonly Row[] = [
  { field: 'Query.viewer', document: '{ viewer { account { accountId } } }', answers: { others: 'shows' } },
  {
    field: 'Query.session',
    document: 'query ($sessionId: ID!) { session(sessionId: $sessionId) { title } }',
    variables: session,
    shown: () => TITLE,
    answers: readsSession('NOT_FOUND', 'NOT_FOUND'),
  },
  {
    field: 'Query.sessions',
    document: '{ sessions(first: 100) { nodes { title } } }',
    shown: () => TITLE,
    answers: readsSession('FORBIDDEN', 'hides'),
  },
  {
    field: 'Query.conversation',
    document: '{ conversation { conversationId } }',
    shown: ({ sessionId }) => sessionId,
    answers: ownConversation('FORBIDDEN'),
  },
  {
    field: 'Query.elicitation',
    about: 'by id',
    document: 'query ($elicitationId: ID) { elicitation(elicitationId: $elicitationId) { message } }',
    variables: ({ elicitationId }) => ({ elicitationId }),
    shown: () => QUESTION,
    answers: asked('NOT_FOUND'),
  },
  {
    field: 'Query.elicitation',
    about: 'by key',
    document: 'query ($key: String) { elicitation(idempotencyKey: $key) { message } }',
    variables: ({ key }) => ({ key }),
    shown: () => QUESTION,
    answers: { service: 'shows', others: 'NOT_FOUND' },
  },
  ...(['ME', 'ORG'] as const).flatMap((scope): Row[] => {
    const answers = scope === 'ME' ? ofMe : ofOrganization;
    return [
      {
        field: 'Query.elicitations',
        about: scope,
        document: `{ elicitations(scope: ${scope}, last: 100) { nodes { message } } }`,
        shown: () => QUESTION,
        answers,
      },
      {
        field: 'Query.elicitationHistory',
        about: scope,
        document: `{ elicitationHistory(scope: ${scope}, pageSize: 100) { items { message } } }`,
        shown: () => QUESTION,
        answers,
      },
      {
        field: 'Subscription.elicitationChanges',
        about: scope,
        document: `subscription { elicitationChanges(scope: ${scope}) { edges { node { elicitation { message } } } } }`,
        shown: () => QUESTION,
        answers,
      },
    ];
  }),
  {
    field: 'Query.node',
    document: 'query ($id: ID!) { node(id: $id) { ... on Session { title } } }',
    variables: ({ sessionId }) => ({ id: Buffer.from(`Session:${sessionId}`).toString('base64') }),
    shown: () => TITLE,
    answers: readsSession('hides', 'hides'),
  },
  {
    field: 'Query.nodes',
    document: 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Session { title } } }',
    variables: ({ sessionId }) => ({ ids: [Buffer.from(`Session:${sessionId}`).toString('base64')] }),
    shown: () => TITLE,
    answers: readsSession('hides', 'hides'),
  },
  {
    field: 'Mutation.createSession',
    about: 'for oneself',
    document: mutation('createSession', 'session { sessionId }'),
    variables: () => ({ input: { sessionId: randomUUID() } }),
    answers: { ...RUNS('FORBIDDEN'), others: 'shows' },
  },
  {
    field: 'Mutation.createSession',
    about: 'for the owner',
    document: mutation('createSession', 'session { sessionId }'),
    variables: ({ accounts }) => ({
      input: { sessionId: randomUUID(), accountId: accounts.owner.accountId },
    }),
    answers: { owner: 'shows', service: 'shows', strangerService: 'NOT_FOUND', others: 'FORBIDDEN' },
  },
  {
    field: 'Mutation.createSession',
    about: 'with an id that is taken',
    document: mutation('createSession', 'session { sessionId }'),
    variables: ({ sessionId }) => ({ input: { sessionId, title: 'Another' } }),
    // DESIGN's one exception: that an id is taken cannot be hidden.
    answers: { ...RUNS('FORBIDDEN'), others: 'CONFLICT' },
  },
  {
    field: 'Mutation.updateSession',
    document: mutation('updateSession', 'session { sessionId }'),
    variables: ({ sessionId }) => ({ input: { sessionId, title: TITLE } }),
    answers: writesSession,
  },
  {
    field: 'Mutation.sendMessage',
    document: mutation('sendMessage', 'edge { cursor }'),
    variables: ({ sessionId }) => ({ input: { sessionId, text: 'Hello' } }),
    answers: writesSession,
  },
  {
    field: 'Mutation.answerQuestion',
    document: mutation('answerQuestion', 'edge { cursor }'),
    variables: ({ sessionId }) => ({
      input: { sessionId, questionId: 'q1', answers: [{ questionId: 'q1a', optionIds: ['o2'] }] },
    }),
    answers: writesSession,
  },
  {
    field: 'Mutation.stopSession',
    document: mutation('stopSession', 'edge { cursor }'),
    variables: ({ sessionId }) => ({ input: { sessionId } }),
    answers: writesSession,
  },
  {
    field: 'Mutation.appendSessionEvents',
    document: mutation('appendSessionEvents', 'checkpoint'),
    variables: ({ sessionId }) => ({
      input: { sessionId, events: [{ sessionIdle: { eventId: randomUUID() } }] },
    }),
    answers: serviceAlone,
  },
  {
    field: 'Mutation.upsertSources',
    document: mutation('upsertSources', '__typename'),
    variables: ({ sessionId }) => ({
      input: { sessionId, sources: [{ sourceRef: 's1', authors: [], studyTypeTags: [] }] },
    }),
    answers: serviceAlone,
  },
  {
    field: 'Mutation.requestElicitation',
    about: 'of oneself',
    document: mutation('requestElicitation', 'elicitation { elicitationId }'),
    variables: () => ({ input: { message: 'Mine?' } }),
    answers: { others: 'shows' },
  },
  {
    field: 'Mutation.requestElicitation',
    about: 'for the session',
    document: mutation('requestElicitation', 'elicitation { elicitationId }'),
    variables: ({ sessionId }) => ({ input: { message: 'For this?', sessionId } }),
    answers: { owner: 'shows', service: 'shows', run: 'shows', blindRun: 'shows', others: 'NOT_FOUND' },
  },
  {
    field: 'Mutation.requestElicitation',
    about: 'of the owner',
    document: mutation('requestElicitation', 'elicitation { elicitationId }'),
    variables: ({ accounts }) => ({ input: { message: 'Yours?', accountId: accounts.owner.accountId } }),
    answers: {
      owner: 'shows',
      service: 'shows',
      run: 'shows',
      blindRun: 'shows',
      strangerService: 'NOT_FOUND',
      others: 'FORBIDDEN',
    },
  },
  {
    field: 'Mutation.approveElicitation',
    document: mutation('approveElicitation', 'elicitation { status }'),
    variables: async (world) => ({ input: { elicitationId: await world.askOwner() } }),
    answers: decides,
  },
  {
    field: 'Mutation.rejectElicitation',
    document: mutation('rejectElicitation', 'elicitation { status }'),
    variables: async (world) => ({ input: { elicitationId: await world.askOwner() } }),
    answers: decides,
  },
  {
    field: 'Mutation.cancelElicitation',
    document: mutation('cancelElicitation', 'elicitation { status }'),
    variables: async (world) => ({ input: { elicitationId: await world.askOwner() } }),
    answers: { service: 'shows', others: 'NOT_FOUND' },
  },
  {
    field: 'Mutation.consumeElicitation',
    document: mutation('consumeElicitation', 'elicitation { status }'),
    variables: decided,
    answers: { service: 'shows', others: 'NOT_FOUND' },
  },
  {
    field: 'Mutation.issueCredential',
    about: 'PERSONAL',
    document: mutation('issueCredential', 'secret'),
    variables: () => ({ input: { kind: 'PERSONAL' } }),
    answers: { ...RUNS('FORBIDDEN'), ...SERVICES('FORBIDDEN'), others: 'shows' },
  },
  {
    field: 'Mutation.issueCredential',
    about: 'SERVICE',
    document: mutation('issueCredential', 'secret'),
    variables: () => ({ input: { kind: 'SERVICE' } }),
    answers: { admin: 'shows', stranger: 'shows', loner: 'shows', others: 'FORBIDDEN' },
  },
  {
    field: 'Mutation.issueCredential',
    about: 'RUN for the session',
    document: mutation('issueCredential', 'secret'),
    variables: ({ sessionId }) => ({ input: { kind: 'RUN', sessionId, ttlSeconds: 60 } }),
    answers: writesSession,
  },
  {
    field: 'Mutation.revokeCredential',
    document: mutation('revokeCredential', 'credential { revokedAt }'),
    variables: async (world) => ({ input: { credentialId: await world.issueRun() } }),
    answers: { ...PEOPLE_OF_SESSION, others: 'NOT_FOUND' },
  },
  {
    field: 'Subscription.sessionEvents',
    document: 'subscription ($sessionId: ID!) { sessionEvents(sessionId: $sessionId) { session { title } } }',
    variables: session,
    shown: () => TITLE,
    answers: readsSession('NOT_FOUND', 'NOT_FOUND'),
  },
  {
    field: 'Subscription.sessionChanged',
    document: 'subscription { sessionChanged { resync } }',
    answers: { ...RUNS('FORBIDDEN'), others: 'shows' },
  },
  {
    field: 'Subscription.conversationEntries',
    document: 'subscription { conversationEntries { edges { node { ... on MessageEntry { content } } } } }',
    shown: () => 'Does creatine help?',
    answers: ownConversation('FORBIDDEN'),
  },
];

/** Whom `node` shows one of each type; everybody else is answered with null. */
export const NODES: Readonly<Record<string, readonly Person[]>> = {
  ...Object.fromEntries(
    [
      'Session',
      'ActivityEvent',
      'AgentMessageEvent',
      'ArtifactsDeliveredEvent',
      'DeliveredOutputsEvent',
      'ErrorEvent',
      'MethodsEvent',
      'QuestionEvent',
      'SessionIdleEvent',
      'SessionPausedEvent',
      'SessionResumedEvent',
      'SessionStoppedEvent',
      'StopRequestedEvent',
      'UnknownEvent',
      'UserMessageEvent',
      'Source',
      'Artifact',
      'DeliveredOutput',
    ].map((type) => [type, ['owner', 'admin', 'service']] as const),
  ),
  Conversation: ['run'],
  MessageEntry: ['run'],
  ToolCallEntry: ['run'],
  ArtifactEntry: ['run'],
  Elicitation: ['owner', 'admin', 'service', 'run'],
  Account: ['owner', 'admin', 'service', 'run', 'blindRun'],
  Organization: ['owner', 'colleague', 'admin', 'service', 'run', 'blindRun', 'otherRun'],
  Credential: ['owner', 'admin', 'service', 'run'],
};
