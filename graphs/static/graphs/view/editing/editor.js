// Editing by hand: what the person does in the drawing by pointer, by keys and in the form.

import { t } from "../../strings.js";
import { drawLitLine } from "../canvas/draw-line.js";
import { rememberedEdits, rememberEdits } from "../navigation/remembered.js";
import { Actions } from "./actions.js";
import { Asking } from "./asking.js";
import { askToLeave, endsOf } from "./dialogs.js";
import { isDraft } from "./drafts.js";
import { boxDrag, drawConnectors, lineDrag, nodeDrag, outHandleAt, reachOf } from "./drag.js";
import { Group } from "./group.js";
import { listenToEditKeys } from "./keys.js";
import { LineCard } from "./line-card.js";
import { NodeForm } from "./node-form.js";
import { Nudge } from "./nudge.js";
import { EditQueue } from "./queue.js";
import { editKeys, EditTools } from "./tools.js";
import { NodeTypes } from "./types.js";

export class Editor {
  #host;
  #canvas;
  #frame;
  #types;
  #queue;
  #asking;
  #actions;
  #tools = new EditTools({
    create: () => this.#actions.create(), undo: () => this.#undo(), redo: () => this.#redo(), arrange: () => this.#arrange(),
    sheets: () => this.#actions.manageSheets(), types: () => this.#actions.manageTypes(), select: () => this.#switchSelecting(),
  });
  #group;
  /** Whether clicks and taps choose one more, as with Shift. */
  selecting = false;
  #card = new LineCard({
    label: (line, text) => this.#actions.label(line, text),
    disconnect: (line) => this.#actions.disconnect(line),
    closed: () => this.#canvas.drafts.replaceChildren(),
  });
  #nudge;

  /**
   * `host`: element, canvas, frame, graph (as the server has it), model, sheet, onSheet(key), selection, navigation, redraw(),
   * live (or null), reached(version), marked() when several are selected, others, or none any more.
   */
  constructor(host) {
    this.#host = host;
    this.#canvas = host.canvas;
    this.#frame = host.frame;
    const { src } = host.element;
    const person = host.element.getAttribute("person") ?? "";
    this.#types = new NodeTypes(src);
    this.#nudge = new Nudge(this.#canvas, (items, dx, dy) => this.#actions.move(items, dx, dy));
    const refresh = (version) => host.reached(version);
    const version = (object) => this.#versionOf(object);
    this.#queue = new EditQueue(src, host.live, { redraw: () => host.redraw(), refresh, version });
    this.#asking = new Asking(this.#queue, {
      root: this.#frame.root,
      refresh,
      nameOf: (object) => this.#nameOf(object),
      say: (text) => this.#frame.toast(text),
      undoable: (stack) => {
        rememberEdits(src, person, stack.known);
        this.#tools.show(stack);
      },
    }, rememberedEdits(src, person));
    this.#tools.show(this.#asking.undoable);
    this.#group = new Group({
      item: (key) => host.onSheet(key),
      overlay: this.#canvas.overlay,
      say: (text) => this.#frame.toast(text),
      announce: (text) => this.#frame.announce(text),
      changed: () => host.marked(),
    }, { arrange: () => this.#arrange(), remove: () => this.#remove(), leave: () => this.ungroup() });
    this.form = new NodeForm({
      live: () => host.live?.takes([]) ?? false,
      save: (asked) => this.#actions.save(asked),
      remove: (item) => this.#actions.remove([item]),
      types: () => this.#types.choices(host.model),
      select: (item) => host.navigation.visit(item),
      label: (line, text) => this.#actions.label(line, text),
      disconnect: (line) => this.#actions.disconnect(line),
      connect: (ends) => this.#actions.connect(ends),
    });
    this.#actions = new Actions(host, { asking: this.#asking, queue: this.#queue, types: this.#types, form: this.form });
    this.#frame.panel.append(this.#tools.element, this.#group.element, this.#card.element);
    listenToEditKeys(this.#frame.root, this.#canvas.element, this.#keyActions());
    this.#frame.addKeys(editKeys());
    this.#actions.fetchTypes();
  }

  /** The graph with what is on its way to the server. */
  over(graph) {
    return this.#queue.over(graph);
  }

  /** Whether leaving the page would lose something. */
  get unsaved() {
    return this.form.dirty || this.#queue.busy || this.#nudge.open;
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

  get selectedKeys() {
    return this.#selected.map(({ key }) => key);
  }

  // By pointer

  /** A drag (see canvas/gestures.js) from this point, or null to move the drawing. */
  grabbed(point, pointerType, beside) {
    if (!this.#host.model) return null;
    this.#nudge.settle();
    const spot = this.#canvas.spotAt(point);
    const box = beside || (this.selecting && !this.#canvas.itemAt(point));
    if (box) return boxDrag(this.#canvas, spot, (items) => this.#chooseMore(() => this.#group.add(items)));
    if (this.#canvas.level === "far") return null;
    const reach = reachOf(pointerType, this.#canvas.viewport.k);
    const item = this.#canvas.itemAt(point);
    const source = [this.#alone, item, ...this.#canvas.itemsNear(point, reach)].find(
      (one) => outHandleAt(one, spot, reach),
    );
    if (source) return this.#drawLine(source, outHandleAt(source, spot, reach));
    const selected = item && (item === this.#alone || this.#group.has(item));
    if (!item || ((item.note || pointerType === "touch") && !selected)) return null;
    const items = this.#group.has(item) ? this.#group.items : [item];
    return nodeDrag(this.#canvas, items, spot, (dx, dy) => this.#actions.move(items, dx, dy));
  }

  /** A click with Shift on a node: it is selected beside the others, or not any more. */
  pickBeside(item) {
    this.#chooseMore(() => this.#group.toggle(item));
  }

  /** A finger rests on a node: it is selected beside the others, and what is tapped next, too. */
  pressed(item) {
    if (!item || !this.#host.model) return false;
    this.#showSelecting(true);
    this.pickBeside(item);
    return true;
  }

  #switchSelecting() {
    if (this.selecting) this.ungroup();
    else {
      this.#showSelecting(true);
      this.#frame.toast(t("Click or tap nodes to select them, or drag a box around them."));
    }
    this.#canvas.element.focus({ preventScroll: true });
  }

  #showSelecting(on) {
    this.selecting = on;
    this.#tools.showSelecting(on);
  }

  /** True where several were selected, or going to be: now they are not. */
  ungroup() {
    const some = this.selecting || !this.#group.empty;
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
    const { selection } = this.#host;
    const selected = selection.item;
    this.leaving(() => {
      if (selected && this.#group.empty) this.#group.add([selected]);
      selection.clear();
      choose();
    });
  }

  /** A double click: on a node its form, on nothing a new node. False far out, where it zooms. */
  doubled(point) {
    if (this.#canvas.level === "far") return false;
    if (this.#canvas.itemAt(point)) this.form.focus();
    else this.#actions.create(this.#canvas.spotAt(point));
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
    const items = near ? new Set([this.#alone, hovered].filter(Boolean)) : [];
    this.#canvas.connectors.replaceChildren(
      ...[...items].flatMap((item) => drawConnectors(item, this.#canvas.viewport.k)),
    );
  }

  #drawLine(source, handle) {
    return lineDrag(this.#canvas, source, handle, {
      connected: (target, into) => this.#actions.connect({ source, from: handle.id, target, to: into.id }),
      released: (spot) => this.#actions.create(spot, { source, from: handle.id }),
    });
  }

  // Keyboard and buttons

  #remove() {
    this.#actions.remove(this.#selected);
  }

  #arrange() {
    this.#nudge.settle();
    this.#actions.arrange(this.#group.items);
  }

  #undo() {
    this.#nudge.settle();
    this.#asking.undo();
  }

  #redo() {
    this.#nudge.settle();
    this.#asking.redo();
  }

  #keyActions() {
    return {
      nudge: (dx, dy) => this.#nudgeBy(dx, dy),
      settle: () => this.#nudge.settle(),
      create: () => this.#actions.create(),
      connect: () => this.#connect(),
      remove: () => this.#remove(),
      choose: () => this.#alone && this.#group.toggle(this.#alone),
      chooseAll: () => this.#chooseMore(() => this.#group.add(this.#everything)),
      undo: () => this.#undo(),
      redo: () => this.#redo(),
    };
  }

  #connect() {
    if (!this.#alone) return;
    this.#host.selection.openDetails();
    this.form.focusConnector();
  }

  #nudgeBy(dx, dy) {
    const items = this.#selected;
    if (!items.length || this.#canvas.level === "far") return;
    const { stretch } = this.#host.sheet;
    this.#nudge.by(items, dx * stretch.x, dy * stretch.y);
  }

  // What it knows

  get #alone() {
    return this.#host.selection.item;
  }

  /** What is selected together, else the one that is selected alone. */
  get #selected() {
    return this.#group.empty ? [this.#alone].filter(Boolean) : this.#group.items;
  }

  get #everything() {
    const { sheet } = this.#host;
    return sheet ? [...sheet.nodes, ...sheet.notes] : [];
  }

  #versionOf({ type, id }) {
    const { sheets = [], nodes = [], edges = [] } = this.#host.graph ?? {};
    const parts = { sheet: sheets, node: nodes, edge: edges }[type] ?? [];
    return parts.find(({ key }) => key === id)?.version ?? null;
  }

  #nameOf({ type, id }) {
    const { items, lines, sheets } = this.#host.model;
    if (type === "sheet") return sheets.get(id)?.name ?? id;
    if (type === "node") return items.get(id)?.name ?? id;
    return type === "edge" && lines.has(id) ? endsOf(lines.get(id)) : id;
  }
}
