// A graph's JSON as it will be after an edit: for drawing at once what the server is still asked for.

/** An edge that the server does not know yet; it has another key there. */
export function isDraft({ edge }) {
  return edge.version === 0;
}

function changed(list, changes) {
  return list.map((entry) => (changes.has(entry.key) ? { ...entry, ...changes.get(entry.key) } : entry));
}

/** `changes` is a Map of fields by key. */
export function withNodesChanged(graph, changes) {
  return { ...graph, nodes: changed(graph.nodes, changes) };
}

export function withEdgeChanged(graph, key, change) {
  return { ...graph, edges: changed(graph.edges, new Map([[key, change]])) };
}

export function withEdge(graph, edge) {
  return { ...graph, edges: [...graph.edges, edge] };
}

/** Without the nodes of a Set of keys; their edges go with them. */
export function withoutNodes(graph, keys) {
  return {
    ...graph,
    nodes: graph.nodes.filter((node) => !keys.has(node.key)),
    edges: graph.edges.filter((edge) => !keys.has(edge.source) && !keys.has(edge.target)),
  };
}

export function withoutEdge(graph, key) {
  return { ...graph, edges: graph.edges.filter((edge) => edge.key !== key) };
}
