import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ELICITATIONS_DOCUMENT, SESSIONS_DOCUMENT, sessionDocument, type Tab } from './documents.js';

/** What a browser on this machine is given, so that a stranger needs nothing. */
export interface DemoAccess {
  /** The secret of the demo's member. */
  readonly token: string;
  /** The session in which its agent is at work. */
  readonly sessionId: string;
}

/** The page of one session, or, without one, of the whole API. */
export interface PageRequest {
  readonly sessionId: string | undefined;
  readonly demo: DemoAccess | undefined;
  /** Where GraphiQL's files are. */
  readonly folder: string;
}

/** ASCII, as a browser sends no other header. */
const NO_TOKEN = 'Bearer tdg_YOUR_TOKEN';

/** Nothing but this server is asked for anything, and no other page may frame this one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with GraphiQL. The page may hold a credential, so nobody keeps it. */
export function answerPage(req: IncomingMessage, res: ServerResponse, request: PageRequest): void {
  const body = renderPage(request);
  res.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function renderPage(request: PageRequest): string {
  // Within a script element only `<` could end the text.
  const options = JSON.stringify(optionsOf(request)).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidings</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${request.folder}graphiql.css">
    <script id="options" type="application/json">${options}</script>
    <script type="module" src="${request.folder}start.js"></script>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
  </body>
</html>
`;
}

/** What `start.js` is told. */
function optionsOf({ sessionId, demo }: PageRequest) {
  const headers = JSON.stringify(
    { authorization: demo === undefined ? NO_TOKEN : `Bearer ${demo.token}` },
    null,
    2,
  );
  const shown = sessionId ?? demo?.sessionId ?? '';
  const session: Tab = {
    query: sessionDocument({
      hasToken: demo !== undefined,
      hasSession: shown !== '',
      isAnswered: shown === demo?.sessionId,
    }),
    variables: JSON.stringify({ sessionId: shown }, null, 2),
    headers,
  };
  const sessions: Tab = { query: SESSIONS_DOCUMENT, variables: '{}', headers };
  const elicitations: Tab = {
    query: ELICITATIONS_DOCUMENT,
    variables: JSON.stringify({ elicitationId: '' }, null, 2),
    headers,
  };
  return {
    tabs: sessionId === undefined ? [session, sessions, elicitations] : [session],
    headers,
    // Tabs are remembered for the workspace that they were opened for; those of a single session while its window is open.
    storage: `tidings:${digest(demo?.token ?? '')}:${sessionId ?? ''}:`,
    lasting: sessionId === undefined,
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
