/** A tab that GraphiQL opens with; `variables` and `headers` are the texts of its editors. */
export interface Tab {
  readonly query: string;
  readonly variables: string;
  readonly headers: string;
}

/** What a page of a session can do for its reader. */
export interface SessionPage {
  /** Its headers hold a credential. */
  readonly hasToken: boolean;
  /** Its variables name a session. */
  readonly hasSession: boolean;
  /** The demo's agent answers what is asked in the session. */
  readonly isAnswered: boolean;
}

/** One session, live and as it is now. Lines are short enough for GraphiQL's editor beside its result. */
export function sessionDocument({ hasToken, hasSession, isAnswered }: SessionPage): string {
  const first = [
    ...(hasToken ? [] : ['# Put a token into Headers', '# (src/credentials/README.md).']),
    ...(hasSession ? [] : ['# Put the id of a session into Variables.']),
  ];
  return [
    ...(first.length > 0 ? [`${first.join('\n')}\n\n`] : []),
    '# Press play and choose:\n\n',
    LIVE,
    SESSION,
    ...(isAnswered ? [ASK] : []),
  ].join('');
}

const LIVE = `# Live: what has happened, then each event
# as it happens. Only the latest update is
# shown; choose Session for the whole.
subscription Live($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) {
    edges {
      node {
        ... on SessionEventOccurrence {
          kind
          createdAt
        }
        ... on UserMessageEvent { text }
        ... on AgentMessageEvent {
          citations {
            quote
            source { title url }
          }
          displayText
        }
        ... on MethodsEvent {
          approach
          searches { source query }
        }
        ... on ActivityEvent { title status }
        ... on QuestionEvent { text }
        ... on ErrorEvent { code message }
      }
    }
    caughtUp
    checkpoint
  }
}
`;

const SESSION = `
# Session: where it stands, its latest
# events, and what its answers cite.
query Session($sessionId: ID!) {
  session(sessionId: $sessionId) {
    title
    status
    url
    events(last: 50) {
      totalCount
      nodes {
        ... on SessionEventOccurrence {
          kind
          createdAt
        }
        ... on UserMessageEvent { text }
        ... on AgentMessageEvent {
          displayText
          citations {
            quote
            source { title url }
          }
        }
        ... on ActivityEvent { title status }
      }
    }
    citedSources(first: 20) {
      totalCount
      nodes { title url authors year }
    }
  }
}
`;

const ASK = `
# Ask: sends a message. The demo plays a
# recording in answer; no model is asked.
mutation Ask(
  $sessionId: ID!
  $text: String = "What is the evidence?"
) {
  sendMessage(
    input: {
      sessionId: $sessionId
      text: $text
    }
  ) {
    edge {
      node {
        ... on UserMessageEvent { text }
      }
    }
  }
}
`;

/** Who I am, and what there is. */
export const SESSIONS_DOCUMENT = `# Sessions: who you are, and what there is.
query Sessions {
  viewer {
    account { name }
    organization { name }
    role
  }
  sessions(first: 10) {
    totalCount
    nodes {
      sessionId
      title
      status
      createdAt
    }
  }
}

# Changes: tells when that list has changed.
subscription Changes {
  sessionChanged {
    resync
    session { sessionId title status }
  }
}
`;

/** What the viewer is asked, live and as it is now. */
export const ELICITATIONS_DOCUMENT = `# Requests: what you were asked and what
# became of it, then each change live.
subscription Requests {
  elicitationChanges {
    edges {
      node {
        transition { from to at }
        elicitation {
          elicitationId
          message
        }
      }
    }
    caughtUp
    checkpoint
  }
}

# Waiting: what you have not decided yet.
query Waiting {
  elicitations(status: [PENDING]) {
    totalCount
    nodes {
      elicitationId
      message
      context
      requestedSchema
      expiresAt
    }
  }
}

# Approve: put its elicitationId into
# Variables, and formSubmission for a form.
mutation Approve(
  $elicitationId: ID!
  $formSubmission: JSON
) {
  approveElicitation(
    input: {
      elicitationId: $elicitationId
      formSubmission: $formSubmission
    }
  ) {
    elicitation { status }
  }
}
`;
