/* The arguments of a proposal as fields that a person can edit, and back. Pure.
 *
 * A field is {name, label, form: "text" | "code" | "number" | "json" | "key", value}.
 */

const NODE = ["name", "type", "sheet", "posX", "posY", "process", "data", "handles"];
/** The kind of item a tool is about, and the fields of it that are arguments; `into` says in which of them. */
const TOOLS = {
  propose_create_node: { kind: "node", fields: NODE, names: { type: "typeKey" } },
  propose_create_node_with_edges: {
    kind: "node", fields: NODE.filter((name) => name !== "handles"), names: { type: "typeKey" },
  },
  propose_update_node: {
    kind: "node", fields: ["name", "type", "process", "data", "handles", "width", "height"], into: "updates",
  },
  propose_move_node: { kind: "node", fields: ["posX", "posY", "sheet"] },
  propose_create_edge: {
    kind: "edge",
    fields: ["source", "sourceHandle", "target", "targetHandle", "label", "sheet"],
    names: { source: "sourceKey", target: "targetKey" },
  },
  propose_configure_node_type: {
    kind: "nodeType", fields: ["displayName", "description", "category", "icon", "handles", "process"],
  },
};
/** What a field may also come from; edited, it is given as a whole. */
const PATCHES = { process: "processPatches", data: "dataPatches" };
/** These have no fields of their own: they are edited as a whole. */
const WHOLE = new Set(["propose_batch", "propose_reorganize_layout"]);

/** What can be edited; nothing for a deletion. */
export function editableFields({ tool, diff, arguments: given }, label) {
  if (WHOLE.has(tool)) return [{ name: "", label, form: "json", value: given }];
  const entry = entryOf(tool, diff);
  if (!entry) return [];
  const known = entry.fields.filter(({ field }) => TOOLS[tool].fields.includes(field));
  return known.map(({ field, label: shown, form, new: value }) => ({ name: field, label: shown, form, value }));
}

export function mayBeEdited({ tool, diff }) {
  return WHOLE.has(tool) || entryOf(tool, diff) !== undefined;
}

/** The arguments with the values that differ from what was proposed; `values` are by the names of the fields. */
export function editedArguments({ tool, diff, arguments: given }, values) {
  if (WHOLE.has(tool)) return values[""];
  const { names = {}, into } = TOOLS[tool];
  const edited = structuredClone(given);
  const place = into ? (edited[into] ??= {}) : edited;
  for (const { field, old, new: proposed } of entryOf(tool, diff).fields) {
    if (!(field in values) || same(values[field], proposed)) continue;
    if (field in PATCHES) delete place[PATCHES[field]];
    if (into && field === "data") editData(place, old ?? {}, values.data);
    else place[names[field] ?? field] = values[field];
  }
  return edited;
}

function entryOf(tool, diff) {
  return diff.find(({ object, action }) => object.type === TOOLS[tool]?.kind && action !== "delete");
}

/** As a patch where one can say it, else as a whole. */
function editData(updates, before, after) {
  delete updates.data;
  delete updates.wholeData;
  if (bringsNull(before, after)) updates.wholeData = after;
  else updates.data = mergePatch(before, after);
}

/** A null in a patch removes: it cannot say that there shall be one. */
function bringsNull(before, after) {
  if (!isObject(after)) return false;
  const known = isObject(before) ? before : {};
  const changed = Object.keys(after).filter((name) => !same(known[name], after[name]));
  return changed.some((name) => after[name] === null || bringsNull(known[name], after[name]));
}

/** What makes `after` of `before` by RFC 7396. */
export function mergePatch(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.keys(after).filter((name) => !same(before[name], after[name]));
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...changed.map((name) => [name, mergePatch(before[name], after[name])]),
  ]);
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
