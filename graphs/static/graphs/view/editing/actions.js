// What the person wants done in the drawing or its panel, as actions that the server is asked for.

import { unlessRefused } from "../../requests.js";
import { t } from "../../strings.js";
import { CARD, linesOf } from "../model/model.js";
import { askForType, askToDelete } from "./dialogs.js";
import { withEdge, withEdgeChanged, withNodesChanged, withoutEdge, withoutNodes } from "./drafts.js";
import { manageSheets } from "./sheet-dialog.js";
import { manageTypes } from "./type-dialog.js";

const APART = 20;
const MOST_STEPS = 30;

export class Actions {
  #host;
  #asking;
  #queue;
  #types;
  #form;
  #drafts = 0;

  /** `host`: canvas, frame, model, sheet, navigation. */
  constructor(host, { asking, queue, types, form }) {
    this.#host = host;
    this.#asking = asking;
    this.#queue = queue;
    this.#types = types;
    this.#form = form;
  }

  async create(spot = freeSpot(this.#host.canvas, this.#host.sheet), fromNode = null) {
    const { model, sheet } = this.#host;
    if (!sheet) return;
    const typeKey = await askForType(this.#host.frame.root, this.#types.all(model), () => this.manageTypes());
    if (!typeKey) return;
    const made = { typeKey, sheet: sheet.key, ...placeAt(spot, this.#host.sheet) };
    const edges = fromNode && [{
      direction: "in", handle: this.#firstIn(typeKey), otherKey: fromNode.source.key, otherHandle: fromNode.from,
    }];
    const action = edges ? { action: "create_node_with_edges", arguments: { ...made, edges } } : {
      action: "create_node", arguments: made,
    };
    const { changeSet } = await this.#asking.perform({ actions: [action] });
    this.#showCreated(changeSet);
  }

  async remove(wanted) {
    await this.#queue.settled();
    const items = wanted.map(({ key }) => this.#host.model.items.get(key)).filter(Boolean);
    if (!items.length || !(await askToDelete(this.#host.frame.root, items))) return;
    const keys = items.map(({ key }) => key);
    this.#form.forget();
    await this.#asking.perform({
      actions: keys.map((nodeKey) => ({ action: "delete_node", arguments: { nodeKey } })),
      seen: [...items.map(seenNode), ...linesOf(items).map(seenEdge)],
      draw: (graph) => withoutNodes(graph, new Set(keys)),
    });
  }

  /** Lays out these nodes, or all of the sheet where there are none, as they are on the server now. */
  async arrange(items) {
    const { sheet } = this.#host;
    const keys = items.map(({ key }) => key);
    if (!sheet) return;
    const what = keys.length ? { nodeKeys: keys } : { sheet: sheet.key };
    const { saved } = await this.#asking.perform({ actions: [{ action: "reorganize_layout", arguments: what }] });
    if (saved) this.#host.frame.toast(t("Arranged. Undo takes it back."));
  }

  /** Items of one sheet, all as far. */
  move(items, dx, dy) {
    const sheet = this.#host.model.sheets.get(items[0].node.sheet);
    const places = new Map(items.map(({ key, node }) => [key, placeBeside(node, dx, dy, sheet)]));
    const elsewhere = items.filter(({ key, node }) =>
      places.get(key).posX !== node.posX || places.get(key).posY !== node.posY);
    if (!elsewhere.length) return;
    this.#asking.perform({
      actions: elsewhere.map(({ key }) => ({ action: "move_node", arguments: { nodeKey: key, ...places.get(key) } })),
      seen: elsewhere.map(seenNode),
      draw: (graph) => withNodesChanged(graph, places),
    });
  }

  connect({ source, from, target, to }) {
    this.#drafts += 1;
    const sheet = source.node.sheet;
    const edge = {
      key: ` ${this.#drafts}`, source: source.key, sourceHandle: from, target: target.key, targetHandle: to, label: "",
      sheet, version: 0,
    };
    const ends = { sourceKey: source.key, sourceHandle: from, targetKey: target.key, targetHandle: to };
    this.#asking.perform({
      actions: [{ action: "create_edge", arguments: ends }], draw: (graph) => withEdge(graph, edge),
    });
  }

  disconnect({ key }) {
    const line = this.#host.model.lines.get(key);
    if (!line) return;
    this.#asking.perform({
      actions: [{ action: "delete_edge", arguments: { edgeKey: line.key } }],
      seen: [seenEdge(line)],
      draw: (graph) => withoutEdge(graph, line.key),
    });
  }

  label({ key }, label) {
    const line = this.#host.model.lines.get(key);
    if (!line || line.label === label) return;
    this.#asking.perform({
      actions: [{ action: "update_edge", arguments: { edgeKey: line.key, label } }],
      seen: [seenEdge(line)],
      draw: (graph) => withEdgeChanged(graph, line.key, { label }),
    });
  }

  async save({ actions, seen, created }) {
    const answer = await this.#asking.perform({ actions, seen }, { quietly: true });
    if (created && answer.saved) {
      this.#form.forget();
      this.#showCreated(answer.changeSet);
    }
    return answer;
  }

  fetchTypes() {
    return unlessRefused(() => this.#types.fetch(), () => {});
  }

  async manageTypes() {
    await this.fetchTypes();
    await manageTypes(this.#host.frame.root, this.#types, (asked) => this.#asking.perform(asked, { quietly: true }));
  }

  async manageSheets() {
    await this.#queue.settled();
    await manageSheets(this.#host.frame.root, () => [...this.#host.model.sheets.values()], (asked) => (
      this.#asking.perform(asked, { quietly: true })
    ));
  }

  #showCreated(changeSet) {
    const made = changeSet?.modifications.find(({ object, action }) => object.type === "node" && action === "create");
    const item = made && this.#host.model.items.get(made.object.id);
    if (!item) return;
    this.#host.navigation.visit(item);
    this.#form.focus();
  }

  #firstIn(typeKey) {
    const own = this.#types.own.find(({ key }) => key === typeKey);
    const handles = Object.values(own?.handles ?? {}).flat();
    return handles.find(({ type }) => type === "in")?.id ?? "L-0";
  }
}

function seenNode({ node }) {
  return { type: "node", id: node.key, version: node.version };
}

function seenEdge({ edge }) {
  return { type: "edge", id: edge.key, version: edge.version };
}

/** The middle of what is seen of a sheet, or below it, where no card is. */
function freeSpot(canvas, sheet) {
  const { width: w, height: h } = CARD;
  const spot = canvas.spotAt(canvas.viewport.center);
  const around = () => ({
    x: spot.x - w / 2 - APART, y: spot.y - h / 2 - APART, w: w + 2 * APART, h: h + 2 * APART,
  });
  for (let step = 0; step < MOST_STEPS && sheet?.nodeGrid.touches(around()); step += 1) spot.y += h / 2;
  return spot;
}

/** The position of a node that has this spot in its middle. */
function placeAt({ x, y }, { stretch }) {
  return {
    posX: Math.round((x - CARD.width / 2) / stretch.x), posY: Math.round((y - CARD.height / 2) / stretch.y),
  };
}

/** The position of a node that goes so far in the drawing. */
function placeBeside({ posX, posY }, dx, dy, { stretch }) {
  return { posX: Math.round(posX + dx / stretch.x), posY: Math.round(posY + dy / stretch.y) };
}
