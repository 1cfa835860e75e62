// One graph as the reader sees it: its sheets, the view, the selection with its details, and what is proposed.

import { t } from "../strings.js";
import { Canvas } from "./canvas.js";
import { Details } from "./details.js";
import { nearestTo, neighbourTowards } from "./directions.js";
import { Editor } from "./editor.js";
import { Find } from "./find.js";
import { Frame } from "./frame.js";
import { Ghosts } from "./ghosts.js";
import { listenToKeys } from "./keyboard.js";
import { Live } from "./live.js";
import { emptyMessage } from "./message.js";
import { Minimap } from "./minimap.js";
import { buildModel } from "./model.js";
import { Position } from "./position.js";
import { rememberedSheet, rememberSheet } from "./remembered.js";
import { Selection } from "./selection.js";
import { Tabs } from "./tabs.js";
import { followTheme } from "./theme.js";

export class Drawing {
  model = null;
  /** The JSON of the graph as the server has it. */
  #graph = null;
  /** Of who may edit. */
  #editor = null;
  /** Where the graph is edited live. */
  #live = null;
  #host;
  #sheet = null;
  /** The key of a node that is to be chosen as soon as there is a graph. */
  #wanted = null;
  #canvas = new Canvas({
    picked: (item, point, beside) => this.#pick(item, point, beside),
    hovered: (item, point) => this.#hover(item, point),
    moved: () => this.#position.moved(),
    grabbed: (point, ...how) => this.#editor?.grabbed(point, ...how) ?? null,
    doubled: (point) => this.#editor?.doubled(point) ?? false,
    pressed: (item) => this.#editor?.pressed(item) ?? false,
  });
  #details = new Details({
    select: (item) => this.#unlessTyping(item, (now) => this.#goTo(now)),
    close: () => this.#unlessTyping(null, () => this.#selection.closeDetails()),
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
  #position;
  #selection;

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
      fit: () => this.#position.fit(),
    });
    const parts = this.#parts();
    this.#position = new Position(parts);
    this.#selection = new Selection(parts);
    listenToKeys(this.#canvas.element, this.#keyActions());
    this.#details.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#unlessTyping(null, () => this.#selection.closeDetails());
    });
  }

  /** What position and selection work on. */
  #parts() {
    const drawing = this;
    return {
      element: this.#host,
      canvas: this.#canvas,
      details: this.#details,
      frame: this.frame,
      ghosts: this.ghosts,
      minimap: this.#minimap,
      get model() {
        return drawing.model;
      },
      get sheet() {
        return drawing.#sheet;
      },
      marked: () => this.#marked(),
      covered: () => this.#position.cover(),
    };
  }

  /** Follows the size of the page and its colours; gives what ends that. */
  follow() {
    const resized = new ResizeObserver(() => this.#position.resized());
    resized.observe(this.#canvas.element);
    const unfollow = followTheme(this.frame.root, () => this.#minimap.redraw());
    return () => {
      resized.disconnect();
      unfollow();
      this.#position.stop();
    };
  }

  /** Of the graph as it is known; 0 for none. */
  get version() {
    return this.#graph?.version ?? 0;
  }

  /** Another graph will be shown. */
  forget() {
    this.model = null;
    this.#graph = null;
    this.#selection.item = null;
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
    this.#selection.follow(model);
    const sheet = [
      this.#details.open ? this.#selection.item?.node.sheet : null,
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
    if (this.#details.open && this.#selection.item) this.#selection.openDetails();
    else if (this.#details.open && !this.#editor?.form.lose()) this.#selection.closeDetails();
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
    if (sheet && (other || !keepView)) this.#position.restore();
    this.#showEmptiness();
    this.frame.describe(this.model, sheet);
    if (this.#selection.item && this.#selection.item.node.sheet !== key) this.#selection.clear();
    this.#selection.mark();
    this.#editor?.shown();
    this.#live?.drawn();
    this.#showMatches(this.#matches.map((item) => this.model.items.get(item.key)).filter(Boolean));
    if (sheet) rememberSheet(this.#host.src, sheet.key);
  }

  #showEmptiness() {
    if (!this.model) return;
    const something = this.#sheet?.bounds || this.ghosts.bounds;
    this.frame.showMessage(something ? null : emptyMessage(this.model.items.size === 0));
  }

  /** Follows the graph live, and edits it so, over the socket at `address`; gives what ends that. */
  goLive(address) {
    const drawing = this;
    this.#live ??= new Live(address, {
      get graph() {
        return drawing.#graph;
      },
      get items() {
        return drawing.model?.items;
      },
      take: (graph) => this.#host.takeLive(graph),
      ask: () => this.#host.refresh(),
      reload: () => this.#host.reload(),
      mark: (selected) => this.#canvas.overlay.markOthers(selected.map(({ name, key }) => ({ name, item: this.#shown(key) }))),
    });
    this.frame.panel.append(this.#live.bar.element);
    const end = this.#live.start();
    return () => {
      end();
      this.#live.bar.element.remove();
    };
  }

  /** Gives the history what was edited live so far. */
  async save() {
    await this.#live?.save();
  }

  /** The item of this key, if it lies on the sheet that is shown. */
  #shown(key) {
    const item = this.model?.items.get(key);
    return item?.node.sheet === this.#sheet?.key ? item : null;
  }

  /** The selection is another one. */
  #marked() {
    this.#editor?.showConnectors(null);
    this.#live?.look([this.#selection.item?.key].filter(Boolean));
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
      person: this.#host.getAttribute("person") ?? "",
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
        return drawing.#selection.item;
      },
      live: this.#live,
      redraw: () => this.model && this.#show(true, { glide: false }),
      reached: (version) => (this.#live?.live && version ? this.#live.reached(version) : this.#host.reload()),
      goTo: (item) => this.#unlessTyping(item, (now) => this.#goTo(now)),
      open: () => this.#selection.openDetails(),
      deselect: () => this.#selection.clear(),
    });
    this.#details.form = editor.form;
    return editor;
  }

  /** Goes on with `then(item)`: at once, or when nothing that was typed into the details is lost by it. */
  #unlessTyping(item, then) {
    const go = () => then(item && (this.model.items.get(item.key) ?? item));
    if (!this.#editor || (item && item.key === this.#selection.item?.key)) go();
    else this.#editor.leaving(go);
  }

  /** Asked for by the page, the chat or the inbox. */
  showProposal(id) {
    this.#position.bringIntoView();
    this.ghosts.choose(id);
  }

  #frameGhosts(sheet, bounds) {
    if (sheet === this.#sheet?.key) this.#position.frame(bounds);
    else this.#unlessTyping(null, () => {
      this.#showSheet(sheet);
      this.#position.frame(bounds);
    });
  }

  // Selection

  /** The page asks for a node: brings the drawing before the reader's eyes, wherever the page is scrolled to. */
  showNode(key) {
    this.#position.bringIntoView();
    this.#details.lower();
    this.#selectByKey(key);
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
    this.#selection.choose(item);
    if (open) this.#selection.openDetails();
    this.#canvas.viewport.centerOn(item.box);
  }

  #pick(item, point, beside) {
    this.#canvas.element.focus({ preventScroll: true });
    if (this.#editor && (beside || this.#editor.selecting)) {
      if (item) this.#editor.pickBeside(item);
      return;
    }
    this.#editor?.ungroup();
    const proposed = this.ghosts.pick(point);
    if (!proposed) this.ghosts.forget();
    const line = !proposed && this.#editor?.pickLine(point, item);
    if (!line) this.#unlessTyping(item, (now) => this.#picked(now));
  }

  #picked(item) {
    if (!item) {
      this.#selection.clear();
      return;
    }
    this.#selection.choose(item);
    this.#selection.openDetails();
    this.#canvas.viewport.reveal(item.box);
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
      fit: () => this.#position.fit(),
      proposals: () => this.ghosts.panel.enter(),
      help: () => this.frame.toggleHelp(),
    };
  }

  #leave() {
    if (this.#editor?.ungroup()) return;
    if (this.#details.open) this.#unlessTyping(null, () => this.#selection.closeDetails());
    else {
      this.#selection.clear();
      this.ghosts.forget();
    }
  }

  #moveSelection(arrow) {
    const items = this.#sheet?.nodes.length ? this.#sheet.nodes : (this.#sheet?.notes ?? []);
    const { x, y, w, h } = this.#canvas.viewport.seen;
    const { item } = this.#selection;
    const next = item ? neighbourTowards(arrow, item, items) : nearestTo(
      { x: x + w / 2, y: y + h / 2 },
      items,
    );
    if (!next) return;
    this.#unlessTyping(next, (now) => {
      this.#selection.choose(now);
      this.#canvas.viewport.reveal(now.box);
    });
  }

  #enter() {
    const { item } = this.#selection;
    if (!item) {
      this.#moveSelection("ArrowRight");
      return;
    }
    this.#selection.openDetails();
    this.#details.element.focus({ preventScroll: true });
    this.#canvas.viewport.reveal(item.box);
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
