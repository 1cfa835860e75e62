// One graph as the reader sees it: its sheets, the view, the selection with its details, and what is proposed.

import { t } from "../strings.js";
import { union } from "./boxes.js";
import { Canvas } from "./canvas.js";
import { Details } from "./details.js";
import { nearestTo, neighbourTowards } from "./directions.js";
import { Editor } from "./editor.js";
import { Find } from "./find.js";
import { Frame } from "./frame.js";
import { Ghosts } from "./ghosts.js";
import { listenToKeys } from "./keyboard.js";
import { emptyMessage } from "./message.js";
import { Minimap } from "./minimap.js";
import { buildModel } from "./model.js";
import { rememberedSheet, rememberedView, rememberSheet, rememberView } from "./remembered.js";
import { Tabs } from "./tabs.js";
import { followTheme } from "./theme.js";
import { reducedMotion } from "./viewport.js";

const REMEMBER_MS = 300;
const PANEL_BESIDE_FROM = 700;
const PANEL_SHARE = 0.58;
const LIST_WIDTH = 352;

export class Drawing {
  model = null;
  /** The JSON of the graph as the server sent it. */
  #graph = null;
  /** Of who may edit. */
  #editor = null;
  #host;
  #sheet = null;
  #selected = null;
  /** The view that shows everything, as long as the reader has not moved on from it. */
  #fitted = null;
  #wanted = null;
  #remembering = 0;
  #canvas = new Canvas({
    picked: (item, point) => this.#pick(item, point),
    hovered: (item, point) => this.#hover(item, point),
    moved: () => this.#viewMoved(),
    grabbed: (point, pointerType) => this.#editor?.grabbed(point, pointerType) ?? null,
    doubled: (point) => this.#editor?.doubled(point) ?? false,
  });
  #details = new Details({
    select: (item) => this.#unlessTyping(item, (now) => this.#goTo(now)),
    close: () => this.#unlessTyping(null, () => this.#closeDetails()),
  });
  #find = new Find(
    {
      matched: (items) => this.#showMatches(items),
      chosen: (item) => this.#unlessTyping(item, (now) => this.#goTo(now, { open: false })),
      left: () => this.#canvas.element.focus(),
    },
  );
  #tabs = new Tabs(t("Sheets"), (key) => this.#unlessTyping(null, () => this.#showSheet(key)));
  #minimap = new Minimap(this.#canvas.viewport);
  ghosts = new Ghosts(this.#canvas, {
    show: (sheet, bounds) => this.#frameGhosts(sheet, bounds),
    changed: () => this.#showEmptiness(),
    missing: () => this.frame.toast(t("This proposal does not wait for a decision any more.")),
  });
  #matches = [];

  /** `host` is the element whose graph it is; its `src` names what is remembered. */
  constructor(host) {
    this.#host = host;
    const { viewport } = this.#canvas;
    this.frame = new Frame({
      tabs: this.#tabs,
      find: this.#find,
      canvas: this.#canvas,
      minimap: this.#minimap,
      waiting: this.ghosts.panel,
      details: this.#details,
    }, {
      zoom: (factor) => viewport.zoomSmoothly(factor),
      actualSize: () => viewport.zoomSmoothly(1 / viewport.k),
      fit: () => this.#fit(),
    });
    listenToKeys(this.#canvas.element, this.#keyActions());
    this.#details.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#unlessTyping(null, () => this.#closeDetails());
    });
  }

  /** Follows the size of the page and its colours; gives what ends that. */
  follow() {
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(this.#canvas.element);
    const unfollow = followTheme(this.frame.root, () => this.#minimap.redraw());
    return () => {
      resized.disconnect();
      unfollow();
      clearTimeout(this.#remembering);
    };
  }

  /** Another graph will be shown. */
  forget() {
    this.model = null;
    this.#selected = null;
    this.#details.close();
  }

  /**
   * Shows the JSON of a graph. `quietly`: it is the same graph, as it is now; sheet, view and selection stay, and what
   * moved glides.
   */
  take(graph, quietly = false) {
    this.#graph = graph;
    this.#show(quietly);
  }

  #show(quietly, { glide = quietly } = {}) {
    const before = this.model;
    const model = buildModel(this.#editor ? this.#editor.over(this.#graph) : this.#graph, quietly ? before : null);
    this.model = model;
    this.#selected = model.items.get(this.#selected?.key) ?? null;
    const sheet = [
      this.#details.open ? this.#selected?.node.sheet : null,
      this.#sheet?.key,
      rememberedSheet(this.#host.src),
    ].find((key) => model.sheets.has(key)) ?? firstSheet(model);
    this.#tabs.show(
      [...model.sheets.values()].map(({ key, name, nodes, notes }) => ({ key, name, count: nodes.length + notes.length })),
      sheet,
      this.frame.panel,
    );
    this.#find.setItems(
      [...model.items.values()],
      (item) => (model.sheets.size > 1 ? model.sheets.get(item.node.sheet).name : ""),
    );
    this.frame.showBar(model.sheets.size > 1);
    this.#canvas.resize();
    this.#showSheet(sheet, { keepView: quietly, glide });
    this.ghosts.setModel(model);
    if (quietly && before) this.#canvas.overlay.flash(changedItems(before, model, this.#sheet?.key));
    if (this.#details.open && this.#selected) this.#openDetails();
    else if (this.#details.open && !this.#editor?.form.lose()) this.#closeDetails();
    if (this.#wanted) this.#selectByKey(this.#wanted);
  }

  #showSheet(key, { keepView = false, glide = false } = {}) {
    const sheet = this.model.sheets.get(key) ?? null;
    const other = sheet?.key !== this.#sheet?.key;
    this.#sheet = sheet;
    this.#tabs.select(key);
    this.#minimap.setSheet(sheet);
    this.#canvas.setSheet(sheet, { glide: glide && !other });
    this.ghosts.setSheet(key);
    if (sheet && (other || !keepView)) this.#restoreView();
    this.#showEmptiness();
    this.frame.describe(this.model, sheet);
    if (this.#selected && this.#selected.node.sheet !== key) this.#clearSelection();
    this.#markSelection();
    this.#showMatches(this.#matches.map((item) => this.model.items.get(item.key)).filter(Boolean));
    if (sheet) rememberSheet(this.#host.src, sheet.key);
  }

  #showEmptiness() {
    if (!this.model) return;
    const something = this.#sheet?.bounds || this.ghosts.bounds;
    this.frame.showMessage(something ? null : emptyMessage(this.model.items.size === 0));
  }

  /** Lets the person change the graph; gives what ends watching over what is not saved. */
  edit() {
    this.#editor ??= this.#newEditor();
    const warn = (event) => this.#editor.unsaved && event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }

  #newEditor() {
    const drawing = this;
    const editor = new Editor({
      canvas: this.#canvas,
      frame: this.frame,
      src: this.#host.src,
      get graph() {
        return drawing.#graph;
      },
      get model() {
        return drawing.model;
      },
      get sheet() {
        return drawing.#sheet;
      },
      get selected() {
        return drawing.#selected;
      },
      redraw: () => this.model && this.#show(true, { glide: false }),
      reload: () => this.#host.reload(),
      goTo: (item) => this.#unlessTyping(item, (now) => this.#goTo(now)),
      open: () => this.#openDetails(),
    });
    this.#details.form = editor.form;
    return editor;
  }

  /** Goes on with `then(item)`: at once, or when nothing that was typed into the details is lost by it. */
  #unlessTyping(item, then) {
    const go = () => then(item && (this.model.items.get(item.key) ?? item));
    if (!this.#editor || (item && item.key === this.#selected?.key)) go();
    else this.#editor.leaving(go);
  }

  /** Asked for by the page, the chat or the inbox. */
  showProposal(id) {
    this.#bringIntoView();
    this.ghosts.choose(id);
  }

  #frameGhosts(sheet, bounds) {
    if (sheet === this.#sheet?.key) this.#frameHere(bounds);
    else this.#unlessTyping(null, () => {
      this.#showSheet(sheet);
      this.#frameHere(bounds);
    });
  }

  #frameHere(bounds) {
    this.#details.lower();
    if (this.#canvas.element.clientWidth < PANEL_BESIDE_FROM) this.ghosts.panel.close();
    this.#cover();
    this.#canvas.viewport.fit(bounds);
  }

  // View

  #restoreView() {
    const view = rememberedView(this.#host.src, this.#sheet.key);
    const { viewport } = this.#canvas;
    if (view && viewport.width && viewport.allows(view, this.#sheet.bounds)) viewport.set(view);
    else this.#fit({ smoothly: false });
  }

  #fit({ smoothly = true } = {}) {
    this.#fitted = this.#canvas.viewport.fit(union(this.#sheet?.bounds, this.ghosts.bounds), smoothly);
  }

  #resized() {
    const first = this.#canvas.viewport.width === 0;
    this.#cover();
    this.#canvas.resize();
    if (first && this.#sheet) this.#restoreView();
    else if (this.#canvas.viewport.isAt(this.#fitted)) this.#fit({ smoothly: false });
    this.#minimap.update();
  }

  #viewMoved() {
    this.frame.showZoom(this.#canvas.viewport.k);
    this.frame.tip(null);
    this.#minimap.update();
    clearTimeout(this.#remembering);
    const remember = () => rememberView(this.#host.src, this.#sheet.key, this.#canvas.viewport.state);
    if (this.#sheet) this.#remembering = setTimeout(remember, REMEMBER_MS);
  }

  /** Tells the viewport what the details and the list of proposals cover. */
  #cover() {
    const { clientWidth, clientHeight } = this.#canvas.element;
    const open = this.#details.open;
    const beside = clientWidth >= PANEL_BESIDE_FROM;
    this.#canvas.viewport.covered = {
      left: beside && this.ghosts.panel.open ? LIST_WIDTH : 0,
      right: open && beside ? this.#details.element.offsetWidth : 0,
      bottom: open && !beside ? clientHeight * PANEL_SHARE : 0,
    };
    this.frame.root.classList.toggle("with-details", open);
  }

  // Selection

  /** The page asks for a node: brings the drawing before the reader's eyes, wherever the page is scrolled to. */
  showNode(key) {
    this.#bringIntoView();
    this.#details.lower();
    this.#selectByKey(key);
  }

  #bringIntoView() {
    if (this.#canvas.element.clientWidth !== this.#canvas.viewport.width) this.#resized();
    const { top, bottom } = this.#host.getBoundingClientRect();
    if (top >= 0 && bottom <= innerHeight) return;
    this.#host.scrollIntoView({ block: "start", behavior: reducedMotion() ? "instant" : "smooth" });
  }

  #selectByKey(key) {
    this.#wanted = this.model ? null : key;
    if (!this.model) return;
    const item = this.model.items.get(key);
    if (item) this.#unlessTyping(item, (now) => this.#goTo(now));
    else this.frame.toast(t("There is no node “{key}” in this graph.", { key }));
  }

  /** Shows an item wherever it is: its sheet, in the middle, with its details. */
  #goTo(item, { open = true } = {}) {
    if (item.node.sheet !== this.#sheet?.key) this.#showSheet(item.node.sheet);
    this.#select(item);
    if (open) this.#openDetails();
    this.#canvas.viewport.centerOn(item.box);
  }

  #pick(item, point) {
    this.#canvas.element.focus({ preventScroll: true });
    const proposed = this.ghosts.pick(point);
    if (!proposed) this.ghosts.forget();
    const line = !proposed && this.#editor?.pickLine(point, item);
    if (!line) this.#unlessTyping(item, (now) => this.#picked(now));
  }

  #picked(item) {
    if (!item) {
      this.#clearSelection();
      return;
    }
    this.#select(item);
    this.#openDetails();
    this.#canvas.viewport.reveal(item.box);
  }

  #select(item) {
    this.#selected = item;
    this.#markSelection();
    if (this.#details.open) this.#details.show(item, this.model);
    this.frame.announce(
      t(
        "{name}, {type}. {incoming} in, {outgoing} out.",
        { name: item.name, type: item.style.title, incoming: item.incoming.length, outgoing: item.outgoing.length },
      ),
    );
    document.dispatchEvent(new CustomEvent("countersign:node-selected", { detail: { key: item.key } }));
  }

  #clearSelection() {
    this.#selected = null;
    this.#closeDetails();
    this.#markSelection();
  }

  #markSelection() {
    this.#canvas.overlay.select(this.#selected);
    this.#editor?.showConnectors(null);
    this.#canvas.element.classList.toggle("has-selection", this.#selected !== null);
  }

  #openDetails() {
    this.#details.show(this.#selected, this.model);
    this.#cover();
  }

  #closeDetails() {
    if (!this.#details.open) return;
    const focused = this.#details.element.contains(this.#host.shadowRoot.activeElement);
    this.#details.close();
    this.#cover();
    if (focused) this.#canvas.element.focus({ preventScroll: true });
  }

  #showMatches(items) {
    this.#matches = items;
    this.#canvas.overlay.setMatches(
      items.filter((item) => item.node.sheet === this.#sheet?.key),
      this.#canvas.viewport.seen,
    );
  }

  #hover(item, point) {
    const proposed = point && this.ghosts.tip(point);
    this.#editor?.showConnectors(item);
    this.#canvas.element.classList.toggle("over-node", Boolean(item || proposed));
    if (proposed) this.frame.ghostTip(proposed, point);
    else this.frame.tip(item && !item.note && this.#canvas.level !== "near" ? item : null, point);
  }

  // Keyboard

  #keyActions() {
    const { viewport } = this.#canvas;
    return {
      pan: (dx, dy) => viewport.moveTo({ x: viewport.x + dx, y: viewport.y + dy, k: viewport.k }),
      move: (arrow) => this.#moveSelection(arrow),
      open: () => this.#enter(),
      close: () => this.#leave(),
      find: () => this.#find.focus(),
      zoom: (factor) => viewport.zoomSmoothly(factor),
      fit: () => this.#fit(),
      proposals: () => this.ghosts.panel.enter(),
      help: () => this.frame.toggleHelp(),
    };
  }

  #leave() {
    if (this.#details.open) this.#unlessTyping(null, () => this.#closeDetails());
    else {
      this.#clearSelection();
      this.ghosts.forget();
    }
  }

  #moveSelection(arrow) {
    const items = this.#sheet?.nodes.length ? this.#sheet.nodes : (this.#sheet?.notes ?? []);
    const { x, y, w, h } = this.#canvas.viewport.seen;
    const next = this.#selected ? neighbourTowards(arrow, this.#selected, items) : nearestTo(
      { x: x + w / 2, y: y + h / 2 },
      items,
    );
    if (!next) return;
    this.#unlessTyping(next, (now) => {
      this.#select(now);
      this.#canvas.viewport.reveal(now.box);
    });
  }

  #enter() {
    if (!this.#selected) {
      this.#moveSelection("ArrowRight");
      return;
    }
    this.#openDetails();
    this.#details.element.focus({ preventScroll: true });
    this.#canvas.viewport.reveal(this.#selected.box);
  }
}

function firstSheet({ sheets }) {
  const all = [...sheets.values()];
  return (all.find((sheet) => sheet.bounds) ?? all[0])?.key;
}

function changedItems(before, after, sheet) {
  return [...after.items.values()].filter(
    (item) => item.node.sheet === sheet && item.node.version !== before.items.get(item.key)?.node.version,
  );
}
