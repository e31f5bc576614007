import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { DomainError } from '../errors.js';
import { refusedIfTooLarge } from '../graphql/answer-meter.js';
import type { Context } from '../graphql/context.js';
import { Documents } from '../graphql/documents.js';
import { type ReportInternal, tellingWhatTookEffect, toGraphQLError } from '../graphql/errors.js';
import { PersistedDocuments } from '../graphql/persisted-documents.js';
import { withinTime } from '../graphql/time-limit.js';
import { Turns } from '../graphql/turns.js';
import { subscribeWatched } from '../graphql/watched-subscription.js';
import { Pulled } from '../live/pulled.js';
import type { Rendering } from '../live/renderings.js';
import { inSpan } from '../spans.js';
import { type Asking, charge, type Payer } from './charging.js';
import { streaming } from './event-stream.js';
import { ShortWay } from './fast/short-way.js';
import { formatResult } from './format.js';
import { readingParameters } from './parameters.js';
import type { HttpParts } from './parts.js';

export const GRAPHQL_PATH = '/graphql';

/** The GraphQL engine behind all transports. */
export type Engine = ReturnType<typeof createEngine>;

export function createEngine({
  config,
  schema,
  means,
  authority,
  limits,
  publicUrl,
  renderings,
  persisted,
  log,
}: HttpParts) {
  const report: ReportInternal = ({ id, error, path }) =>
    log.error({ err: error, id, path }, 'internal error');
  /** An error as clients may see it; one that was mapped before stays as it is. */
  const mask = (error: unknown): GraphQLError => inOurWords(toGraphQLError(error, report));
  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: result.errors.map(mask) };
  const serialize = (result: ExecutionResult): Rendering => {
    const body = Buffer.from(JSON.stringify(formatResult(masked(result))));
    return { body, isLasting: result.errors === undefined };
  };
  const limit = config.operationTimeoutMs;
  const pay = (args: ExecutionArgs) => charge(args, config.maxCost, limits.rates, payerOf(args));
  const turns = new Turns();
  const { introspection, suggestions } = config;
  const documents = new PersistedDocuments(
    new Documents(schema, turns, { limits: config.documents, introspection, suggestions }),
    persisted,
  );
  const hideSuggestions = !suggestions;
  /** Paid for once, however many updates come: they are the same for all who see the same (P6), and show no cost. */
  const subscribe = async (args: ExecutionArgs, tellsEnd: boolean) => {
    const charge = await orRefused(pay(args));
    return 'errors' in charge
      ? charge
      : subscribeWatched(
          { ...args, hideSuggestions },
          {
            authority,
            renderings,
            serialize,
            tellsEnd,
            execute: (update) => withinTime(async () => execute(update), { limit }),
          },
        );
  };
  const shortWay = config.fast ? new ShortWay() : undefined;
  const answer = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const cost = await orRefused(pay(args));
    if ('errors' in cost) return cost;
    // A write is done to its end, whoever waits for it: half of it would help nobody.
    const gone = isMutation(args) ? undefined : payerOf(args).gone;
    const result = await withinTime(
      () =>
        inSpan(
          'graphql',
          spanOf(args),
          async () => (await shortWay?.answer(args)) ?? run({ ...args, hideSuggestions }),
        ),
      { limit, gone },
    );
    return { ...result, extensions: { ...result.extensions, cost } };
  };
  const yoga = createYoga<Asking, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ viewer }) => ({ operation: { ...means, viewer }, publicUrl }),
    maskedErrors: { maskError: mask },
    plugins: [
      inOrder(answer),
      readingParameters(turns),
      readingDocuments(documents),
      streaming((args) => subscribe(args, true)),
    ],
    extraParamNames: ['documentId'],
    // It keeps documents of any size.
    parserAndValidationCache: false,
    // What a browser, a proxy or a probe asks for, and how much anyone may send, is dealt with before the engine is asked.
    graphiql: false,
    landingPage: false,
    healthCheckEndpoint: '/-',
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    logging: false,
  });
  return {
    /** Answers a request; an answer that goes on is empty, and `streamBehind` has its updates. */
    fetch: (request: Request, asking: Payer) => yoga.fetch(request, { ...asking }),
    /** Bytes of a request's body. */
    maxBody: config.maxBody,
    Request: yoga.fetchAPI.Request,
    /** Reads what a WebSocket asks for, as the engine does over HTTP. */
    documents,
    /** The engine's context and execute for one operation. */
    getEnveloped: (asking: Asking) => yoga.getEnveloped(asking),
    /**
     * Begins a subscription over a WebSocket, which is closed with its credential. Past the engine, which would stand between a reader
     * and its position (P5).
     */
    subscribe: async (args: ExecutionArgs) => {
      const begun = await subscribe(args, false);
      return begun instanceof Pulled ? begun : masked(begun);
    },
    mask,
  };
}

/**
 * graphql-js answers with fields in the order in which they were asked for, as the specification wishes; Yoga's own executor in that
 * in which they were resolved.
 */
const inOrder = (run: (args: ExecutionArgs) => Promise<ExecutionResult>): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(run),
});

/** The engine makes each context of what it is asked with. */
const payerOf = ({ contextValue }: ExecutionArgs): Payer => contextValue as Payer;

/** What is refused before it begins has no data. */
async function orRefused<T>(work: Promise<T>): Promise<T | { readonly errors: readonly GraphQLError[] }> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { errors: [new GraphQLError(error.message, { originalError: error })] };
  }
}

const isMutation = ({ document, operationName }: ExecutionArgs): boolean =>
  getOperationAST(document, operationName)?.operation === 'mutation';

async function run(args: ExecutionArgs): Promise<ExecutionResult> {
  const result = await execute(args);
  return refusedIfTooLarge(isMutation(args) ? tellingWhatTookEffect(result) : result);
}

/** As OpenTelemetry names what is known of an operation. */
const spanOf = ({ document, operationName }: ExecutionArgs) => {
  const operation = getOperationAST(document, operationName);
  return {
    'graphql.operation.type': operation?.operation ?? 'query',
    'graphql.operation.name': operation?.name?.value ?? '',
  };
};

/** A document may have to wait for its turn, for which the engine has no place: it is read before the engine would. */
function readingDocuments(documents: PersistedDocuments): Plugin<Asking, Asking> {
  const read = new WeakMap<Request, DocumentNode>();
  return {
    async onParams({ params, setParams, request, context: { viewer } }) {
      const found = await documents.read(params, viewer.credentialId);
      // The engine says what is wrong with a request that has none.
      if (found === undefined) return;
      read.set(request, found.document);
      setParams({ ...params, query: found.source });
    },
    onParse({ context: { request }, setParsedDocument }) {
      const document = read.get(request);
      if (document === undefined) throw new Error('A document was not read before it is executed.');
      setParsedDocument(document);
    },
    onValidate: ({ setResult }) => setResult([]),
  };
}

/** Yoga's codes that are none of ours. */
const FOREIGN_CODES = new Set<unknown>(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE']);

function inOurWords(error: GraphQLError): GraphQLError {
  if (!FOREIGN_CODES.has(error.extensions.code)) return error;
  return new GraphQLError(error.message, {
    nodes: error.nodes,
    path: error.path,
    extensions: { ...error.extensions, code: 'BAD_USER_INPUT' },
  });
}
