// What proposals would do to a drawing, as marks on its sheets: what comes, goes, changes and moves, with the edges.

import { inflated, union } from "../model/boxes.js";
import { handleFor, placeHandles } from "../model/handles.js";
import { grow, itemOf } from "../model/model.js";
import { route } from "../model/routing.js";
import { stretch } from "../model/spread.js";

/** Room for badges and the heads of trails, so that a mark is drawn as long as any of it is in view. */
const REACH = 30;
const BADGE_HIT = 12;
const PLACE = new Set(["posX", "posY", "sheet"]);

const center = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });
/** Where the straight line from the middle of one box to that of another leaves the first. */
function borderTowards(box, other) {
  const [from, to] = [center(box), center(other)];
  const across = Math.max(Math.abs(to.x - from.x) / box.w, Math.abs(to.y - from.y) / box.h) * 2;
  return across > 1 ? { x: from.x + (to.x - from.x) / across, y: from.y + (to.y - from.y) / across } : from;
}

const around = ({ x, y }) => ({ x: x - BADGE_HIT, y: y - BADGE_HIT, w: 2 * BADGE_HIT, h: 2 * BADGE_HIT });

function news(entry) {
  return Object.fromEntries(entry.fields.map(({ field, new: value }) => [field, value]));
}

/** Puts a ghost on its sheet of the model, stretched as the sheet is. */
function placed(item, model) {
  grow(item);
  stretch(item, model.sheets.get(item.node.sheet).stretch);
  placeHandles(item);
  return item;
}

function copy(item) {
  return { ...item, box: { ...item.box }, handles: item.handles.map((handle) => ({ ...handle })) };
}

/** One proposal on the way to its marks. */
class Marking {
  marks = [];
  #created = new Map();

  constructor(proposal, number, model) {
    Object.assign(this, { proposal, number, model });
    const entries = proposal.diff ?? [];
    for (const entry of entries.filter(({ object }) => object.type === "node")) this.#node(entry);
    for (const entry of entries.filter(({ object }) => object.type === "edge")) this.#edge(entry);
  }

  #mark(action, entry, sheet, shown) {
    const { proposal, number } = this;
    const { type: kind, id: key } = entry.object;
    this.marks.push({ action, entry, sheet, proposal, number, kind, key, ...shown });
  }

  #node(entry) {
    if (entry.action === "create") this.#newNode(entry);
    const item = this.model.items.get(entry.object.id);
    if (!item || entry.action === "create") return;
    const shown = { item, box: item.box, at: item.box, hits: [item.box] };
    if (entry.action === "delete") this.#mark("delete", entry, item.node.sheet, shown);
    else if (entry.fields.some(({ field }) => PLACE.has(field))) this.#moved(entry, item);
    if (entry.action === "update" && entry.fields.some(({ field }) => !PLACE.has(field))) {
      this.#mark("update", entry, item.node.sheet, shown);
    }
  }

  #newNode(entry) {
    const node = { key: entry.object.id, name: "", type: "", handles: {}, ...news(entry) };
    if (!this.model.sheets.has(node.sheet)) return;
    const item = placed(itemOf(node, 0, this.model.styleOf), this.model);
    this.#created.set(node.key, item);
    this.#mark("create", entry, node.sheet, { item, box: item.box, at: item.box, hits: [item.box] });
  }

  #moved(entry, item) {
    const node = { ...item.node, ...news(entry) };
    if (!this.model.sheets.has(node.sheet)) return;
    const ghost = placed({ ...itemOf(node, 0, this.model.styleOf), name: item.name }, this.model);
    const stays = node.sheet === item.node.sheet;
    const trail = stays ? [borderTowards(item.box, ghost.box), borderTowards(ghost.box, item.box)] : null;
    const box = stays ? union(item.box, ghost.box) : ghost.box;
    const from = stays ? item.box : null;
    const hits = from ? [ghost.box, from] : [ghost.box];
    this.#mark("move", entry, node.sheet, { item: ghost, from, trail, box, at: ghost.box, hits });
    if (!stays) this.#mark("leave", entry, item.node.sheet, { item, box: item.box, at: item.box, hits: [item.box] });
  }

  #edge(entry) {
    const line = entry.action === "create" ? this.#newLine(entry) : this.model.lines.get(entry.object.id);
    if (!line?.path) return;
    const shown = { line, box: line.box, at: line.middle, hits: [around(line.middle)] };
    this.#mark(entry.action, entry, line.source.node.sheet, shown);
  }

  /** The line of an edge that does not exist yet; its ends may be handles that nobody declared. */
  #newLine(entry) {
    const edge = news(entry);
    const nodeOf = (key) => this.#created.get(key) ?? this.model.items.get(key);
    const [source, target] = [nodeOf(edge.source), nodeOf(edge.target)];
    if (!source || !target || source.node.sheet !== target.node.sheet) return null;
    const ends = source === target ? Array(2).fill(copy(source)) : [copy(source), copy(target)];
    const from = handleFor(ends[0], edge.sourceHandle ?? "", "out");
    const to = handleFor(ends[1], edge.targetHandle ?? "", "in");
    ends.forEach(placeHandles);
    return { key: entry.object.id, source, target, from, to, kind: "main", ...route(from, to, source.box, target.box) };
  }
}

/** Marks of one thing stand beside each other: `rank` is the place of a mark among them. */
function rank(marks) {
  const counts = new Map();
  for (const mark of marks) {
    const name = `${mark.kind} ${mark.key} ${mark.at.x} ${mark.at.y}`;
    mark.rank = counts.get(name) ?? 0;
    counts.set(name, mark.rank + 1);
    mark.reach = mark.box;
    mark.box = inflated(mark.box, REACH);
  }
}

/**
 * Map of sheet key -> {marks, bounds}. A mark is {action: create | update | delete | move | leave, kind: node | edge,
 * key, entry of the diff, proposal, number of the proposal, rank, item or line, from and trail of a move, at: where its
 * badge stands, hits: what a pointer can hit, reach: what it covers, box: the same with some room}.
 */
export function marksOf(proposals, model) {
  const all = proposals.flatMap((proposal, index) => new Marking(proposal, index + 1, model).marks);
  rank(all);
  const sheets = Map.groupBy(all, ({ sheet }) => sheet);
  const bounds = (marks) => marks.reduce((found, { reach }) => union(found, reach), null);
  return new Map([...sheets].map(([key, marks]) => [key, { marks, bounds: bounds(marks) }]));
}
