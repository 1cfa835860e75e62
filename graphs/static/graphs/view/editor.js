// Editing by hand: what the person does in the drawing and its panel becomes changes that the server is asked for.

import { drawLitLine } from "./draw-line.js";
import { Asking } from "./edit-asking.js";
import { askForType, askToDelete, askToLeave, endsOf } from "./edit-dialogs.js";
import { drawConnectors, Lifted, lineDrag, nodeDrag, outHandleAt, reachOf } from "./edit-drag.js";
import { isDraft, withEdge, withEdgeChanged, withNodeChanged, withoutEdge, withoutNode } from "./edit-drafts.js";
import { listenToEditKeys } from "./edit-keys.js";
import { LineCard } from "./edit-line-card.js";
import { NodeForm } from "./edit-node.js";
import { EditError, Requests } from "./edit-requests.js";
import { editKeys, EditTools } from "./edit-tools.js";
import { manageTypes } from "./edit-type-dialog.js";
import { NodeTypes } from "./edit-types.js";
import { CARD } from "./model.js";

const NUDGED_MS = 700;

export class Editor {
  #host;
  #canvas;
  #frame;
  #requests;
  #types;
  #asking;
  #tools = new EditTools({
    create: () => this.create(), undo: () => this.undo(), redo: () => this.redo(), types: () => this.#manageTypes(),
  });
  #card = new LineCard({
    label: (line, text) => this.#label(line, text),
    disconnect: (line) => this.#disconnect(line),
    closed: () => this.#canvas.drafts.replaceChildren(),
  });
  #nudged = null;
  #drafts = 0;

  /**
   * `host`: canvas, frame, src, graph (as the server has it), model, sheet, selected, redraw(), reload(), goTo(item),
   * open().
   */
  constructor(host) {
    this.#host = host;
    this.#canvas = host.canvas;
    this.#frame = host.frame;
    this.#requests = new Requests(host.src);
    this.#types = new NodeTypes(this.#requests);
    this.#asking = new Asking(this.#requests, {
      root: this.#frame.root,
      redraw: () => host.redraw(),
      refresh: () => host.reload(),
      version: (object) => this.#versionOf(object),
      nameOf: (object) => this.#nameOf(object),
      say: (text) => this.#frame.toast(text),
      undoable: (stack) => this.#tools.show(stack),
    });
    this.form = new NodeForm({
      save: (asked) => this.#save(asked),
      remove: (item) => this.remove(item),
      types: () => this.#types.choices(host.model),
      select: (item) => host.goTo(item),
      label: (line, text) => this.#label(line, text),
      disconnect: (line) => this.#disconnect(line),
      connect: (ends) => this.#connect(ends),
    });
    this.#frame.panel.append(this.#tools.element, this.#card.element);
    listenToEditKeys(this.#frame.root, this.#canvas.element, this.#keyActions());
    this.#frame.addKeys(editKeys());
    this.#fetchTypes();
  }

  /** The graph with what is on its way to the server. */
  over(graph) {
    return this.#asking.over(graph);
  }

  /** Whether leaving the page would lose something. */
  get unsaved() {
    return this.form.dirty || this.#asking.busy || this.#nudged !== null;
  }

  /** Calls `then` when nothing typed is lost by it: at once, or after asking. */
  async leaving(then) {
    if (!this.form.dirty) {
      then();
      return;
    }
    const answer = await askToLeave(this.#frame.root, this.form.name);
    if (answer === "discard") this.form.discard();
    if (answer === "discard" || (answer === "save" && (await this.form.save()))) then();
  }

  // By pointer

  /** A drag (see gestures.js) from this point, or null to move the drawing. */
  grabbed(point, pointerType) {
    if (this.#canvas.level === "far" || !this.#host.model) return null;
    this.#settleNudge();
    const spot = this.#canvas.spotAt(point);
    const reach = reachOf(pointerType, this.#canvas.viewport.k);
    const item = this.#canvas.itemAt(point);
    const source = [this.#host.selected, item, ...this.#canvas.itemsNear(point, reach)].find(
      (one) => outHandleAt(one, spot, reach),
    );
    if (source) return this.#drawLine(source, outHandleAt(source, spot, reach));
    const selected = item && item === this.#host.selected;
    if (!item || ((item.note || pointerType === "touch") && !selected)) return null;
    return nodeDrag(this.#canvas, item, spot, (dx, dy) => this.#move(item, dx, dy));
  }

  /** A double click: on a node its form, on nothing a new node. False far out, where it zooms. */
  doubled(point) {
    if (this.#canvas.level === "far") return false;
    if (this.#canvas.itemAt(point)) this.form.focus();
    else this.create(this.#canvas.spotAt(point));
    return true;
  }

  /** Whether an edge lies where no `item` does; then its card is opened, and another one is closed. */
  pickLine(point, item) {
    this.#card.close();
    const line = item ? null : this.#canvas.lineAt(point);
    if (!line || isDraft(line)) return false;
    this.#canvas.drafts.replaceChildren(drawLitLine(line, "out"));
    this.#card.show(line, point, this.#frame.panel);
    return true;
  }

  /** Shows where lines can be drawn from. */
  showConnectors(hovered) {
    const near = this.#canvas.level !== "far";
    const items = near ? new Set([this.#host.selected, hovered].filter(Boolean)) : [];
    this.#canvas.connectors.replaceChildren(
      ...[...items].flatMap((item) => drawConnectors(item, this.#canvas.viewport.k)),
    );
  }

  #drawLine(source, handle) {
    return lineDrag(this.#canvas, source, handle, {
      connected: (target, into) => this.#connect({ source, from: handle.id, target, to: into.id }),
      released: (spot) => this.create(spot, { source, from: handle.id }),
    });
  }

  // What is asked for

  async create(spot = this.#freeSpot(), fromNode = null) {
    const { model, sheet } = this.#host;
    if (!sheet) return;
    const typeKey = await askForType(this.#frame.root, this.#types.all(model), () => this.#manageTypes());
    if (!typeKey) return;
    const place = this.#placeFor(spot);
    const made = { typeKey, sheet: sheet.key, ...place };
    const edges = fromNode && [{
      direction: "in", handle: this.#firstIn(typeKey), otherKey: fromNode.source.key, otherHandle: fromNode.from,
    }];
    const action = edges ? { action: "create_node_with_edges", arguments: { ...made, edges } } : {
      action: "create_node", arguments: made,
    };
    const { changeSet } = await this.#asking.perform({ actions: [action] });
    this.#showCreated(changeSet);
  }

  async remove({ key } = this.#host.selected ?? {}) {
    await this.#asking.settled();
    const item = this.#host.model.items.get(key);
    if (!item || !(await askToDelete(this.#frame.root, item))) return;
    const lines = [...new Set([...item.incoming, ...item.outgoing])];
    this.form.forget();
    await this.#asking.perform({
      actions: [{ action: "delete_node", arguments: { nodeKey: item.key } }],
      seen: [seenNode(item), ...lines.map(seenEdge)],
      draw: (graph) => withoutNode(graph, item.key),
    });
  }

  async undo() {
    this.#settleNudge();
    await this.#asking.undo();
  }

  async redo() {
    this.#settleNudge();
    await this.#asking.redo();
  }

  #move(item, dx, dy) {
    const { stretch } = this.#host.model.sheets.get(item.node.sheet);
    const posX = Math.round(item.node.posX + dx / stretch.x);
    const posY = Math.round(item.node.posY + dy / stretch.y);
    if (posX === item.node.posX && posY === item.node.posY) return;
    this.#asking.perform({
      actions: [{ action: "move_node", arguments: { nodeKey: item.key, posX, posY } }],
      seen: [seenNode(item)],
      draw: (graph) => withNodeChanged(graph, item.key, { posX, posY }),
    });
  }

  #connect({ source, from, target, to }) {
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

  #disconnect({ key }) {
    const line = this.#host.model.lines.get(key);
    if (!line) return;
    this.#asking.perform({
      actions: [{ action: "delete_edge", arguments: { edgeKey: line.key } }],
      seen: [seenEdge(line)],
      draw: (graph) => withoutEdge(graph, line.key),
    });
  }

  #label({ key }, label) {
    const line = this.#host.model.lines.get(key);
    if (!line || line.label === label) return;
    this.#asking.perform({
      actions: [{ action: "update_edge", arguments: { edgeKey: line.key, label } }],
      seen: [seenEdge(line)],
      draw: (graph) => withEdgeChanged(graph, line.key, { label }),
    });
  }

  async #save({ actions, seen, created }) {
    const answer = await this.#asking.perform({ actions, seen }, { quietly: true });
    if (created && answer.saved) {
      this.form.forget();
      this.#showCreated(answer.changeSet);
    }
    return answer;
  }

  // Keyboard

  #keyActions() {
    return {
      nudge: (dx, dy) => this.#nudge(dx, dy),
      settle: () => this.#settleNudge(),
      create: () => this.create(),
      connect: () => this.#host.selected && (this.#host.open(), this.form.focusConnector()),
      remove: () => this.remove(),
      undo: () => this.undo(),
      redo: () => this.redo(),
    };
  }

  /** Presses of arrow keys add up to one move. */
  #nudge(dx, dy) {
    const item = this.#host.selected;
    if (!item || this.#canvas.level === "far") return;
    if (this.#nudged?.item !== item) this.#settleNudge();
    this.#nudged ??= { item, dx: 0, dy: 0, lifted: new Lifted(this.#canvas, item) };
    const nudged = this.#nudged;
    const { stretch } = this.#host.model.sheets.get(item.node.sheet);
    nudged.dx += dx * stretch.x;
    nudged.dy += dy * stretch.y;
    nudged.lifted.show(nudged.dx, nudged.dy);
    clearTimeout(nudged.timer);
    nudged.timer = setTimeout(() => this.#settleNudge(), NUDGED_MS);
  }

  #settleNudge() {
    const nudged = this.#nudged;
    if (!nudged) return;
    this.#nudged = null;
    clearTimeout(nudged.timer);
    nudged.lifted.drop();
    this.#move(nudged.item, nudged.dx, nudged.dy);
  }

  // What it knows

  async #fetchTypes() {
    try {
      await this.#types.fetch();
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
    }
  }

  async #manageTypes() {
    await this.#fetchTypes();
    await manageTypes(this.#frame.root, this.#types, (asked) => this.#asking.perform(asked, { quietly: true }));
  }

  #showCreated(changeSet) {
    const made = changeSet?.modifications.find(({ object, action }) => object.type === "node" && action === "create");
    const item = made && this.#host.model.items.get(made.object.id);
    if (!item) return;
    this.#host.goTo(item);
    this.form.focus();
  }

  /** The middle of what is seen, or below it, where no card is. */
  #freeSpot() {
    const { width: w, height: h } = CARD;
    const spot = this.#canvas.spotAt(this.#canvas.viewport.center);
    const taken = () => this.#host.sheet.nodeGrid.touches({ x: spot.x - w / 2 - 20, y: spot.y - h / 2 - 20, w: w + 40, h: h + 40 });
    for (let tries = 0; this.#host.sheet && taken() && tries < 30; tries += 1) spot.y += h / 2;
    return spot;
  }

  #placeFor({ x, y }) {
    const { stretch } = this.#host.sheet;
    return {
      posX: Math.round((x - CARD.width / 2) / stretch.x), posY: Math.round((y - CARD.height / 2) / stretch.y),
    };
  }

  #firstIn(typeKey) {
    const own = this.#types.own.find(({ key }) => key === typeKey);
    const handles = Object.values(own?.handles ?? {}).flat();
    return handles.find(({ type }) => type === "in")?.id ?? "L-0";
  }

  #versionOf({ type, id }) {
    const { nodes = [], edges = [] } = this.#host.graph ?? {};
    return (type === "node" ? nodes : edges).find(({ key }) => key === id)?.version ?? null;
  }

  #nameOf({ type, id }) {
    const { items, lines } = this.#host.model;
    if (type === "node") return items.get(id)?.name ?? id;
    return type === "edge" && lines.has(id) ? endsOf(lines.get(id)) : id;
  }
}

function seenNode({ node }) {
  return { type: "node", id: node.key, version: node.version };
}

function seenEdge({ edge }) {
  return { type: "edge", id: edge.key, version: edge.version };
}
