/** A tab that GraphiQL opens with; `variables` and `headers` are the texts of its editors. */
export interface Tab {
  readonly query: string;
  readonly variables: string;
  readonly headers: string;
}

/** One session, now and live. */
export const SESSION_DOCUMENT = `# Press play and choose.
# Live: the session from its start, then
# each event as it happens.

subscription Live($sessionId: ID!) {
  sessionEvents(sessionId: $sessionId) {
    edges {
      node {
        ... on SessionEventOccurrence { kind createdAt }
        ... on UserMessageEvent { text }
        ... on AgentMessageEvent {
          citations { quote source { title url } }
          displayText
        }
        ... on MethodsEvent { approach searches { source query } }
        ... on ActivityEvent { title status }
        ... on QuestionEvent { text }
        ... on ErrorEvent { code message }
      }
    }
    caughtUp
    checkpoint
  }
}

query Session($sessionId: ID!) {
  session(sessionId: $sessionId) {
    title
    status
    url
    events(last: 20) {
      totalCount
      nodes {
        ... on SessionEventOccurrence { kind createdAt }
        ... on AgentMessageEvent { displayText }
        ... on ActivityEvent { title status }
      }
    }
    citedSources(first: 20) {
      totalCount
      nodes { title url authors year }
    }
  }
}

mutation Ask($sessionId: ID!, $text: String = "And what does that cost?") {
  sendMessage(input: { sessionId: $sessionId, text: $text }) {
    edge { node { ... on UserMessageEvent { text createdAt } } }
  }
}
`;

/** Who I am, and what there is. */
export const SESSIONS_DOCUMENT = `query Sessions {
  viewer {
    account { name }
    organization { name }
    role
  }
  sessions(first: 10) {
    totalCount
    nodes { sessionId title status createdAt }
  }
}

# Tells when the list above has changed.
subscription Changes {
  sessionChanged {
    resync
    session { sessionId title status }
  }
}
`;
