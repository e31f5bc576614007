import { builder } from './builder.js';
import type { Connection, Edge } from './connections.js';

type ConnectionRef<Node> = ReturnType<typeof builder.objectRef<Connection<Node>>>;
type EdgeRef<Node> = ReturnType<typeof builder.objectRef<Edge<Node>>>;

export interface ConnectionTypes<Node> {
  readonly edge: EdgeRef<Node>;
  readonly connection: ConnectionRef<Node>;
}

/**
 * `XEdge` and `XConnection` for a node type. Nodes are nullable: an entry that fails to resolve is a null with an error, while its
 * edge and cursor arrive.
 */
export function connectionTypes<Node>(
  name: string,
  node: Parameters<typeof builder.edgeObject>[0]['type'] & { readonly $inferType?: Node },
  description: string,
): ConnectionTypes<Node> {
  const edge = builder.edgeObject({
    name: `${name}Edge`,
    type: node,
    nodeNullable: true,
    description: 'An entry of a list and its cursor.',
  });
  const connection = builder.connectionObject({ name: `${name}Connection`, type: node, description }, edge);
  return shaped(edge, connection);
}

/** The plugin resolves `edges`, `nodes` and `pageInfo` from properties of those names, which is what a `Connection` has, as promises. */
function shaped<Node>(edge: object, connection: object): ConnectionTypes<Node> {
  return { edge: edge as EdgeRef<Node>, connection: connection as ConnectionRef<Node> };
}

/** Every list is paged by `connections.ts`, and so the plugin's parent is one of its connections. */
const connectionOf = (parent: unknown) => parent as Connection<unknown>;

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'How many entries the whole list has, whatever the page. Counted only when selected.',
    resolve: (parent) => connectionOf(parent).totalCount,
  }),
);
