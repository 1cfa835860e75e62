// Editing by hand: what the person does in the drawing and its panel becomes changes that the server is asked for.

import { t } from "../strings.js";
import { drawLitLine } from "./draw-line.js";
import { Asking } from "./edit-asking.js";
import { askForType, askToDelete, askToLeave, endsOf } from "./edit-dialogs.js";
import { boxDrag, drawConnectors, lineDrag, nodeDrag, outHandleAt, reachOf } from "./edit-drag.js";
import { isDraft, withEdge, withEdgeChanged, withNodesChanged, withoutEdge, withoutNodes } from "./edit-drafts.js";
import { Group } from "./edit-group.js";
import { listenToEditKeys } from "./edit-keys.js";
import { LineCard } from "./edit-line-card.js";
import { NodeForm } from "./edit-node.js";
import { Nudge } from "./edit-nudge.js";
import { freeSpot, placeAt, placeBeside } from "./edit-places.js";
import { EditError, Requests } from "./edit-requests.js";
import { editKeys, EditTools } from "./edit-tools.js";
import { manageTypes } from "./edit-type-dialog.js";
import { NodeTypes } from "./edit-types.js";
import { linesOf } from "./model.js";
import { rememberedEdits, rememberEdits } from "./remembered.js";

export class Editor {
  #host;
  #canvas;
  #frame;
  #requests;
  #types;
  #asking;
  #tools = new EditTools({
    create: () => this.create(), undo: () => this.undo(), redo: () => this.redo(), arrange: () => this.arrange(),
    types: () => this.#manageTypes(), select: () => this.#switchSelecting(),
  });
  #group;
  /** Whether clicks and taps choose one more, as with Shift. */
  #selecting = false;
  #card = new LineCard({
    label: (line, text) => this.#label(line, text),
    disconnect: (line) => this.#disconnect(line),
    closed: () => this.#canvas.drafts.replaceChildren(),
  });
  #nudge;
  #drafts = 0;

  /**
   * `host`: canvas, frame, src, person, graph (as the server has it), model, sheet, selected, redraw(), live (or null), reached(version),
   * goTo(item), open(), deselect().
   */
  constructor(host) {
    this.#host = host;
    this.#canvas = host.canvas;
    this.#frame = host.frame;
    this.#requests = new Requests(host.src, host.live);
    this.#types = new NodeTypes(this.#requests);
    this.#nudge = new Nudge(this.#canvas, (items, dx, dy) => this.#move(items, dx, dy));
    this.#asking = new Asking(this.#requests, {
      root: this.#frame.root,
      redraw: () => host.redraw(),
      refresh: (version) => host.reached(version),
      version: (object) => this.#versionOf(object),
      nameOf: (object) => this.#nameOf(object),
      say: (text) => this.#frame.toast(text),
      undoable: (stack) => {
        rememberEdits(host.src, host.person, stack.known);
        this.#tools.show(stack);
      },
    }, rememberedEdits(host.src, host.person));
    this.#tools.show(this.#asking.undoable);
    this.#group = new Group({
      item: (key) => host.sheet && this.#onSheet(key),
      overlay: this.#canvas.overlay,
      say: (text) => this.#frame.toast(text),
      announce: (text) => this.#frame.announce(text),
    }, { arrange: () => this.arrange(), remove: () => this.remove(), leave: () => this.ungroup() });
    this.form = new NodeForm({
      live: () => host.live?.takes([]) ?? false,
      save: (asked) => this.#save(asked),
      remove: (item) => this.remove([item]),
      types: () => this.#types.choices(host.model),
      select: (item) => host.goTo(item),
      label: (line, text) => this.#label(line, text),
      disconnect: (line) => this.#disconnect(line),
      connect: (ends) => this.#connect(ends),
    });
    this.#frame.panel.append(this.#tools.element, this.#group.element, this.#card.element);
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
    return this.form.dirty || this.#asking.busy || this.#nudge.open;
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
  grabbed(point, pointerType, beside) {
    if (!this.#host.model) return null;
    this.#nudge.settle();
    const spot = this.#canvas.spotAt(point);
    const box = beside || (this.#selecting && !this.#canvas.itemAt(point));
    if (box) return boxDrag(this.#canvas, spot, (items) => this.#chooseMore(() => this.#group.add(items)));
    if (this.#canvas.level === "far") return null;
    const reach = reachOf(pointerType, this.#canvas.viewport.k);
    const item = this.#canvas.itemAt(point);
    const source = [this.#host.selected, item, ...this.#canvas.itemsNear(point, reach)].find(
      (one) => outHandleAt(one, spot, reach),
    );
    if (source) return this.#drawLine(source, outHandleAt(source, spot, reach));
    const selected = item && (item === this.#host.selected || this.#group.has(item));
    if (!item || ((item.note || pointerType === "touch") && !selected)) return null;
    const items = this.#group.has(item) ? this.#group.items : [item];
    return nodeDrag(this.#canvas, items, spot, (dx, dy) => this.#move(items, dx, dy));
  }

  /** A click with Shift on a node: it is selected beside the others, or not any more. */
  pickBeside(item) {
    this.#chooseMore(() => this.#group.toggle(item));
  }

  get selecting() {
    return this.#selecting;
  }

  /** A finger rests on a node: it is selected beside the others, and what is tapped next, too. */
  pressed(item) {
    if (!item || !this.#host.model) return false;
    this.#showSelecting(true);
    this.pickBeside(item);
    return true;
  }

  #switchSelecting() {
    if (this.#selecting) this.ungroup();
    else {
      this.#showSelecting(true);
      this.#frame.toast(t("Click or tap nodes to select them, or drag a box around them."));
    }
    this.#canvas.element.focus({ preventScroll: true });
  }

  #showSelecting(on) {
    this.#selecting = on;
    this.#tools.showSelecting(on);
  }

  /** True where several were selected, or going to be: now they are not. */
  ungroup() {
    const some = this.#selecting || !this.#group.empty;
    this.#showSelecting(false);
    this.#group.clear();
    return some;
  }

  /** The sheet that is shown looks different, or is another one. */
  shown() {
    this.#group.show();
  }

  /** From one that is selected to several; its details close. */
  #chooseMore(choose) {
    const { selected } = this.#host;
    this.leaving(() => {
      if (selected && this.#group.empty) this.#group.add([selected]);
      this.#host.deselect();
      choose();
    });
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

  async create(spot = freeSpot(this.#canvas, this.#host.sheet), fromNode = null) {
    const { model, sheet } = this.#host;
    if (!sheet) return;
    const typeKey = await askForType(this.#frame.root, this.#types.all(model), () => this.#manageTypes());
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

  async remove(wanted = this.#selected) {
    await this.#asking.settled();
    const items = wanted.map(({ key }) => this.#host.model.items.get(key)).filter(Boolean);
    if (!items.length || !(await askToDelete(this.#frame.root, items))) return;
    const keys = items.map(({ key }) => key);
    this.form.forget();
    await this.#asking.perform({
      actions: keys.map((nodeKey) => ({ action: "delete_node", arguments: { nodeKey } })),
      seen: [...items.map(seenNode), ...linesOf(items).map(seenEdge)],
      draw: (graph) => withoutNodes(graph, new Set(keys)),
    });
  }

  /** Lays out the nodes that are selected together, or all of the sheet, as they are on the server now. */
  async arrange() {
    this.#nudge.settle();
    const { sheet } = this.#host;
    const keys = this.#group.items.map(({ key }) => key);
    if (!sheet) return;
    const what = keys.length ? { nodeKeys: keys } : { sheet: sheet.key };
    const { saved } = await this.#asking.perform({ actions: [{ action: "reorganize_layout", arguments: what }] });
    if (saved) this.#frame.toast(t("Arranged. Undo takes it back."));
  }

  async undo() {
    this.#nudge.settle();
    await this.#asking.undo();
  }

  async redo() {
    this.#nudge.settle();
    await this.#asking.redo();
  }

  /** Items of one sheet, all as far. */
  #move(items, dx, dy) {
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
      nudge: (dx, dy) => this.#nudgeBy(dx, dy),
      settle: () => this.#nudge.settle(),
      create: () => this.create(),
      connect: () => this.#host.selected && (this.#host.open(), this.form.focusConnector()),
      remove: () => this.remove(),
      choose: () => this.#host.selected && this.#group.toggle(this.#host.selected),
      chooseAll: () => this.#chooseMore(() => this.#group.add(this.#everything)),
      undo: () => this.undo(),
      redo: () => this.redo(),
    };
  }

  #nudgeBy(dx, dy) {
    const items = this.#selected;
    if (!items.length || this.#canvas.level === "far") return;
    const { stretch } = this.#host.sheet;
    this.#nudge.by(items, dx * stretch.x, dy * stretch.y);
  }

  // What it knows

  /** What is selected together, else the one that is selected alone. */
  get #selected() {
    return this.#group.empty ? [this.#host.selected].filter(Boolean) : this.#group.items;
  }

  get #everything() {
    const { sheet } = this.#host;
    return sheet ? [...sheet.nodes, ...sheet.notes] : [];
  }

  #onSheet(key) {
    const item = this.#host.model.items.get(key);
    return item?.node.sheet === this.#host.sheet.key ? item : null;
  }

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
