/* The arguments of a proposal as fields that a person can edit, and back. Pure. The fields are those of the diff.
 *
 * A field is {name, label, form: "text" | "code" | "number" | "boolean" | "json" | "key", value}.
 */

import { mergePatch } from "../../graphs/merge-patch.js";

/** Which arguments of a tool make the fields of its diff: `into` has them all, or else each is an argument, by one of `names`.
 * No argument makes those in `without`, or what is not in `fields`. The entry is of the `kind`, or else of any.
 */
const TOOLS = {
  propose_create_node: { kind: "node", names: { type: "typeKey" }, without: ["width", "height"] },
  propose_create_node_with_edges: { kind: "node", names: { type: "typeKey" }, without: ["width", "height", "handles"] },
  propose_update_node: { kind: "node", into: "updates" },
  propose_move_node: { kind: "node" },
  propose_create_edge: { kind: "edge", names: { source: "sourceKey", target: "targetKey" } },
  propose_configure_node_type: { kind: "nodeType" },
  propose_update_object: { into: "updates", without: ["parent"] },
  propose_create_object: { into: "fields" },
  propose_move_object: { fields: ["parent"] },
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
  const { fields, without = [] } = TOOLS[tool];
  const known = entry.fields.filter(({ field }) => !without.includes(field) && (fields ?? [field]).includes(field));
  return known.map(({ field, label: shown, form, new: value }) => ({ name: field, label: shown, form, value }));
}

export function mayBeEdited({ tool, diff }) {
  return WHOLE.has(tool) || entryOf(tool, diff) !== undefined;
}

/** The arguments with the values that differ from what was proposed; `values` are by the names of the fields. */
export function editedArguments({ tool, diff, arguments: given }, values) {
  if (WHOLE.has(tool)) return values[""];
  const { kind, names = {}, into } = TOOLS[tool];
  const edited = structuredClone(given);
  const place = into ? (edited[into] ??= {}) : edited;
  for (const { field, old, new: proposed } of entryOf(tool, diff).fields) {
    if (!(field in values) || JSON.stringify(values[field]) === JSON.stringify(proposed)) continue;
    if (kind && field in PATCHES) delete place[PATCHES[field]];
    if (edited.patches) edited.patches = edited.patches.filter(({ path }) => path !== field);
    if (kind && into && field === "data") editData(place, old, values.data);
    else if (!kind && field === "parent") edited.parent = `${given.parent.split(":")[0]}:${values.parent}`;
    else place[names[field] ?? field] = values[field];
  }
  if (edited.patches?.length === 0) delete edited.patches;
  return edited;
}

function entryOf(tool, diff) {
  const { kind } = TOOLS[tool] ?? { kind: "" };
  return diff.find(({ object, action }) => (kind ?? object.type) === object.type && action !== "delete");
}

/** As a patch where one can say it, else as a whole. */
function editData(updates, before, after) {
  delete updates.data;
  delete updates.wholeData;
  const patch = mergePatch(before, after);
  if (patch) updates.data = patch;
  else updates.wholeData = after;
}
