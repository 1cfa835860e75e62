// A graph's JSON after what somebody did to it live.

/** `operations` are those of `graph:edited`, which made this `version` of the graph. */
export function withOperations(graph, version, operations) {
  const of = (kind) => new Map(operations.filter(({ type }) => type === kind).map((one) => [one.id, one]));
  return { ...graph, version, nodes: applied(graph.nodes, of("node")), edges: applied(graph.edges, of("edge")) };
}

function applied(items, operations) {
  if (!operations.size) return items;
  const known = new Set(items.map(({ key }) => key));
  const kept = items.map((item) => changed(item, operations.get(item.key))).filter(Boolean);
  const came = [...operations.values()].filter(({ action, id }) => action === "create" && !known.has(id));
  return [...kept, ...came.map(({ id, record, version }) => ({ key: id, ...record, version }))];
}

function changed(item, operation) {
  if (!operation) return item;
  const { action, version, record } = operation;
  if (action === "delete") return null;
  return { ...item, ...(action === "create" ? record : operation.new), version };
}
