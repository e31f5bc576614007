// Runs in the browser, as it stands: puts GraphiQL together with this server. JavaScript, because a browser loads a file as it is.

/**
 * @typedef {{ query: string, variables: string, headers: string }} Tab
 * @typedef {{ tabs: Tab[], headers: string, storage: string, lasting: boolean }} Options
 * @typedef {{ query: string, variables?: Record<string, unknown>, operationName?: string }} Params
 * @typedef {{ kind: string, operation?: string, name?: { value: string } }} Definition
 * @typedef {{ headers?: Record<string, string>, documentAST?: { definitions: Definition[] } }} Extra
 * @typedef {{ getItem(key: string): string | null, setItem(key: string, value: string): void, removeItem(key: string): void,
 *   key(index: number): string | null, readonly length: number }} Store
 * @typedef {{ MonacoEnvironment: object, location: Location, localStorage: Store, sessionStorage: Store,
 *   document: { querySelector(selector: string): { textContent: string } },
 *   YogaGraphiQL: { renderYogaGraphiQL(element: object, props: object): void } }} Page
 * @typedef {{ protocol: string, host: string, href: string }} Location
 */

const page = /** @type {Page} */ (/** @type {unknown} */ (globalThis));
/** @type {Options} */
const options = JSON.parse(page.document.querySelector('#options').textContent);
const endpoint = new URL('/graphql', page.location.href);

/** Every asset lies beside this one. @param {string} name */
const beside = (name) => new URL(name, import.meta.url).href;

const storage = prefixed(options.lasting ? page.localStorage : page.sessionStorage, options.storage);
const [first] = options.tabs;
// GraphiQL fills its editors from these, and looks for the tab that has the same; without them it would begin with an empty one.
if (first !== undefined && storage.getItem('graphiql:tabState') === null) {
  storage.setItem('graphiql:query', first.query);
  storage.setItem('graphiql:variables', first.variables);
}

page.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (/** @type {unknown} */ _, /** @type {string} */ label) => beside(`${label}.js`),
};

await import(beside('graphiql.js'));
/** @type {typeof import('graphql-ws/client')} */
const { createClient } = await import(beside('client.js'));

page.YogaGraphiQL.renderYogaGraphiQL(page.document.querySelector('#root'), {
  title: 'Tidings',
  logo: '',
  fetcher: (/** @type {Params} */ params, /** @type {Extra} */ extra = {}) =>
    isSubscription(params, extra) ? follow(params, extra) : ask(params, extra),
  defaultTabs: options.tabs,
  headers: options.headers,
  initialHeaders: options.headers,
  defaultEditorToolsVisibility: 'variables',
  storage,
  shouldPersistHeaders: false,
  // Otherwise each keystroke goes into the address, and from there into histories and logs.
  onEditQuery: () => {},
});

/** @param {Params} params @param {Extra} extra */
function isSubscription({ operationName }, { documentAST }) {
  return documentAST?.definitions.some(
    ({ kind, operation, name }) =>
      kind === 'OperationDefinition' &&
      operation === 'subscription' &&
      (!operationName || name?.value === operationName),
  );
}

/** @param {Params} params @param {Extra} extra */
async function ask(params, { headers }) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  return response.json();
}

/**
 * A socket of its own for each subscription, with the credential of the tab that it was started from.
 * @param {Params} params @param {Extra} extra
 */
function follow(params, { headers = {} }) {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const url = new URL(endpoint);
  url.protocol = endpoint.protocol.replace('http', 'ws');
  const client = createClient({ url: url.href, connectionParams: { authorization }, retryAttempts: 0 });
  const updates = client.iterate(params);
  return {
    next: () => updates.next().catch(explain),
    return: () => updates.return?.(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** @param {{ code?: number, reason?: string }} fault @returns {never} */
function explain(fault) {
  throw fault.code
    ? new Error(`The connection was closed: ${fault.reason || 'no reason given'} (${fault.code}).`)
    : fault;
}

/**
 * What GraphiQL remembers, kept apart for each workspace: tabs of one whose credential is gone would only fail.
 * @param {Store} store @param {string} prefix
 */
function prefixed(store, prefix) {
  const keys = () =>
    Array.from({ length: store.length }, (_, index) => store.key(index) ?? '').filter((key) =>
      key.startsWith(prefix),
    );
  return {
    getItem: (/** @type {string} */ key) => store.getItem(prefix + key),
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => store.setItem(prefix + key, value),
    removeItem: (/** @type {string} */ key) => store.removeItem(prefix + key),
    clear: () => {
      for (const key of keys()) store.removeItem(key);
    },
    get length() {
      return keys().length;
    },
  };
}
