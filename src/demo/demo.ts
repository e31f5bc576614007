import type { Logger } from 'pino';
import { authenticate } from '../accounts/authenticate.js';
import type { Operation } from '../accounts/operation.js';
import { requireDataDirectory } from '../database/directory.js';
import type { DemoAccess } from '../http/graphiql/page.js';
import { sessionLogKey } from '../sessions/topics.js';
import { DemoAgent } from './agent.js';
import type { FollowNotices } from './follow-notices.js';
import { type DemoTokens, readTokens, tokensFile, writeTokens } from './tokens.js';
import { makeWorkspace } from './workspace.js';

/** A demo that runs. */
export interface Demo {
  readonly access: DemoAccess;
  close(): Promise<void>;
}

export interface DemoOptions {
  /** Where the credentials are written. */
  readonly dataDir: string;
  /** From one event of the agent to the next, in ms. */
  readonly pace?: number | undefined;
}

/**
 * Makes the demo workspace in an empty database, or finds the one that was made there, and puts its agent to work. Undefined where
 * there is none: in a database of somebody's own, or once its credentials are gone.
 * @throws DatabaseStartError for a directory that the credentials cannot be written to.
 */
export async function startDemo(
  means: Omit<Operation, 'viewer'>,
  bus: FollowNotices,
  log: Logger,
  { dataDir, pace }: DemoOptions,
): Promise<Demo | undefined> {
  const { database } = means;
  await database.fill(async () => {
    // First: a workspace whose secrets cannot be kept is of no use.
    await requireDataDirectory(dataDir);
    await writeTokens(dataDir, await makeWorkspace(means));
  });
  const tokens = await readTokens(dataDir);
  const found = tokens && (await identify(means, tokens));
  if (tokens === undefined || found === undefined) {
    log.info({ file: tokensFile(dataDir) }, NO_DEMO);
    return undefined;
  }
  log.info({ file: tokensFile(dataDir) }, 'a demo workspace is here; its credentials are in this file');
  const { operation, sessionId } = found;
  const agent = new DemoAgent({
    operation,
    sessionId,
    ...(pace !== undefined && { pace }),
    onError: (error) => log.warn({ err: error }, 'the demo agent gave up'),
  });
  bus.watch(sessionLogKey(sessionId), () => agent.follow());
  return { access: { token: tokens.member, sessionId }, close: () => agent.close() };
}

const NO_DEMO =
  'no demo workspace: the database was not empty, and this file has no credentials of one; start on an empty database to have one';

/** The agent's operation and the session that it works in: the one that the `run` credential is bound to. */
async function identify(means: Omit<Operation, 'viewer'>, { service, run }: DemoTokens) {
  try {
    const viewer = await authenticate(means.database, service);
    const { sessionId } = await authenticate(means.database, run);
    return sessionId === null ? undefined : { operation: { ...means, viewer }, sessionId };
  } catch {
    return undefined;
  }
}
