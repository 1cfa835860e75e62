// What a list of changes amounts to, in a few words: "Change Fetch API", "Delete 2 nodes and 3 edges".

import { t } from "../strings.js";
import { language, numberText } from "../words.js";
import { visible } from "./visible.js";

/** What a change does, in lists, on the drawing and in its legend. */
export const SIGNS = { create: "+", delete: "−", update: "~", move: "→", leave: "→" };
/** Named before others. */
const OF_GRAPHS = ["node", "edge", "nodeType"];
const PLACE = new Set(["posX", "posY", "sheet"]);
const LONGEST = 60;
const VERBS = {
  create: (what) => t("create {what}", { what }),
  connect: (what) => t("connect {what}", { what }),
  update: (what) => t("change {what}", { what }),
  move: (what) => t("move {what}", { what }),
  delete: (what) => t("delete {what}", { what }),
  disconnect: (what) => t("disconnect {what}", { what }),
  read: (what) => t("read a page of {what}", { what }),
};
/** Where nothing but edges comes or goes. */
const OF_EDGES = { create: "connect", delete: "disconnect" };

/** The title of a proposal; of one whose diff is cut, by its `counts`. */
export function proposalTitle({ diff, counts = {} }) {
  return changeTitle(totalOf(counts) > diff.length ? entriesCounted(counts, diff) : diff);
}

/** The title of entries of `graphs.history.diffs`. */
export function changeTitle(entries) {
  if (entries.length === 0) return t("No change");
  const text = listed([...byVerb(entries)].map(([verb, some]) => VERBS[verb](subject(some))));
  return text[0].toLocaleUpperCase(language()) + text.slice(1);
}

/**
 * As many entries as `counts` {kind: {action: number}} says; named where there is but one, and `known` tells it. What kinds are
 * called that `known` does not tell is in `kinds`.
 */
export function entriesCounted(counts, known, kinds = {}) {
  // In the order of the diff: JSON from the database has an order of its own.
  const types = new Set([...known.map(({ object }) => object.type), ...Object.keys(counts)]);
  return [...types].flatMap((type) =>
    Object.entries(counts[type] ?? {}).flatMap(([counted, number]) => {
      const moves = counted === "move";
      const action = moves ? "update" : counted;
      const found = known.find((each) => each.object.type === type && each.action === action);
      const object = { type, id: found?.object.id ?? "" };
      const { label, kindLabel, kindPlural } = { ...kinds[type], ...found };
      return Array(number).fill({ object, kindLabel, kindPlural, label, action, fields: moves ? [{ field: "posX" }] : [] });
    }));
}

function totalOf(counts) {
  return Object.values(counts).flatMap(Object.values).reduce((sum, number) => sum + number, 0);
}

function byVerb(entries) {
  const edgesAlone = entries.every(({ object }) => object.type === "edge");
  return Map.groupBy(entries, (entry) => {
    const action = isPage(entry) ? "read" : isMove(entry) ? "move" : entry.action;
    return (edgesAlone && OF_EDGES[action]) || action;
  });
}

/** Whether it only asks for a page of the web to be read. */
export function isPage({ object }) {
  return object.type === "fetch";
}

/** Whether a node only goes to another place. */
export function isMove({ action, fields }) {
  return action === "update" && fields.length > 0 && fields.every(({ field }) => PLACE.has(field));
}

/** One item by its name, several as a number, kind by kind. */
function subject(entries) {
  const types = new Set([...OF_GRAPHS, ...entries.map(({ object }) => object.type)]);
  const parts = [...types].map((type) => {
    const found = entries.filter(({ object }) => object.type === type);
    const isKnown = found.length === 1 && Boolean(found[0].label || found[0].object.id);
    const named = isKnown && (type !== "edge" || entries.length === 1);
    return named ? labelOf(found[0]) : counted(found);
  });
  return listed(parts.filter(Boolean));
}

/** The name of an entry, as a person may read it. */
export function labelOf({ label, object }) {
  const text = visible(label || object.id);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function counted(entries) {
  const { length } = entries;
  if (length === 0) return "";
  const count = numberText(length);
  switch (entries[0].object.type) {
    case "node": return length === 1 ? t("1 node") : t("{count} nodes", { count });
    case "edge": return length === 1 ? t("1 edge") : t("{count} edges", { count });
    case "nodeType": return length === 1 ? t("1 node type") : t("{count} node types", { count });
    default: return `${count} ${length > 1 ? visible(entries[0].kindPlural ?? "") || `× ${kindText(entries[0])}` : kindText(entries[0])}`;
  }
}

/** What its kind is called, as the server says it. */
export function kindText({ object, kindLabel }) {
  return visible(kindLabel || object.type);
}

export function actionText(entry) {
  const { action } = entry;
  if (isPage(entry)) return t("to be read");
  if (action === "create") return t("new");
  return action === "delete" ? t("deleted") : t("changed");
}

function listed(parts) {
  return new Intl.ListFormat(language(), { type: "conjunction" }).format(parts);
}
