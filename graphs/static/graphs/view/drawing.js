// One graph as the reader sees it: its sheets and what is drawn of them, edited live or by hand, and what is proposed.

import { t } from "../strings.js";
import { Canvas } from "./canvas/canvas.js";
import { Minimap } from "./canvas/minimap.js";
import { Details } from "./details.js";
import { Editor } from "./editing/editor.js";
import { Frame } from "./frame.js";
import { Ghosts } from "./ghosts/ghosts.js";
import { placeOf } from "./live/cursors.js";
import { Live } from "./live/live.js";
import { emptyMessage } from "./message.js";
import { buildModel } from "./model/model.js";
import { Find } from "./navigation/find.js";
import { listenToKeys, Navigation } from "./navigation/navigation.js";
import { Position } from "./navigation/position.js";
import { rememberedSheet, rememberSheet } from "./navigation/remembered.js";
import { Selection } from "./navigation/selection.js";
import { Tabs } from "./navigation/tabs.js";
import { followTheme } from "./theme.js";

/** Position, selection, navigation, the editor and what is live work on its parts. */
export class Drawing {
  model = null;
  /** The JSON of the graph as the server has it. */
  graph = null;
  /** Of who may edit. */
  editor = null;
  /** Where the graph is edited live. */
  live = null;
  /** The element whose graph it is; its `src` names what is remembered. */
  element;
  sheet = null;
  canvas = new Canvas({
    picked: (item, point, beside) => this.navigation.pick(item, point, beside),
    hovered: (item, point) => this.navigation.hover(item, point),
    moved: () => this.position.moved(),
    pointed: (point) => this.live?.point(point && this.sheet ? placeOf(this.canvas.spotAt(point), this.sheet) : null),
    grabbed: (point, ...how) => this.editor?.grabbed(point, ...how) ?? null,
    doubled: (point) => this.editor?.doubled(point) ?? false,
    pressed: (item) => this.editor?.pressed(item) ?? false,
  });
  details = new Details({
    select: (item) => this.navigation.visit(item),
    close: () => this.navigation.closeDetails(),
  });
  find = new Find(
    {
      matched: (items) => this.#showMatches(items),
      chosen: (item) => this.navigation.visit(item, { open: false }),
      left: () => this.canvas.element.focus(),
    },
  );
  #tabs = new Tabs(t("Sheets"), (key) => this.navigation.unlessTyping(null, () => this.showSheet(key)));
  minimap = new Minimap(this.canvas.viewport);
  ghosts = new Ghosts(this.canvas, {
    show: (sheet, bounds) => this.navigation.frameGhosts(sheet, bounds),
    changed: () => this.#showEmptiness(),
    missing: () => this.frame.toast(t("This proposal does not wait for a decision any more.")),
  });
  #matches = [];
  position;
  selection;
  navigation;

  constructor(host) {
    this.element = host;
    const { viewport } = this.canvas;
    this.frame = new Frame({
      tabs: this.#tabs,
      find: this.find,
      canvas: this.canvas,
      minimap: this.minimap,
      waiting: this.ghosts.panel,
      details: this.details,
    }, {
      zoom: (factor) => viewport.zoomSmoothly(factor),
      actualSize: () => viewport.zoomSmoothly(1 / viewport.k),
      fit: () => this.position.fit(),
    });
    this.position = new Position(this);
    this.selection = new Selection(this);
    this.navigation = new Navigation(this);
    listenToKeys(this.canvas.element, this.navigation.keyActions());
    this.details.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.navigation.closeDetails();
    });
  }

  /** Follows the size of the page and its colours until `signal` fires. */
  follow(signal) {
    const resized = new ResizeObserver(() => this.position.resized());
    resized.observe(this.canvas.element);
    followTheme(this.frame.root, () => this.minimap.redraw(), signal);
    signal.addEventListener("abort", () => {
      resized.disconnect();
      this.position.stop();
    });
  }

  /** Of the graph as it is known; 0 for none. */
  get version() {
    return this.graph?.version ?? 0;
  }

  /** Another graph will be shown. */
  forget() {
    this.model = null;
    this.graph = null;
    this.selection.item = null;
    this.details.close();
  }

  /**
   * Shows the JSON of a graph. `quietly`: it is the same graph, as it is now; sheet, view and selection stay, and what
   * moved glides.
   */
  take(graph, quietly = false) {
    this.graph = graph;
    this.#show(quietly);
  }

  #show(quietly, { glide = quietly } = {}) {
    const before = this.model;
    const model = buildModel(this.editor ? this.editor.over(this.graph) : this.graph, quietly ? before : null);
    this.model = model;
    this.selection.follow(model);
    const sheet = [
      this.details.open ? this.selection.item?.node.sheet : null,
      this.sheet?.key,
      rememberedSheet(this.element.src),
    ].find((key) => model.sheets.has(key)) ?? firstSheet(model);
    this.#tabs.show(
      [...model.sheets.values()].map(({ key, name, nodes, notes }) => ({ key, name, count: nodes.length + notes.length })),
      sheet,
      this.frame.panel,
    );
    this.find.setItems(
      [...model.items.values()],
      (item) => (model.sheets.size > 1 ? model.sheets.get(item.node.sheet).name : ""),
    );
    this.frame.showBar(model.sheets.size > 1);
    this.canvas.resize();
    this.showSheet(sheet, { keepView: quietly, glide });
    this.ghosts.setModel(model);
    if (quietly && before) this.canvas.overlay.flash(changedItems(before, model, this.sheet?.key));
    if (this.details.open && this.selection.item) this.selection.openDetails();
    else if (this.details.open && !this.editor?.form.lose()) this.selection.closeDetails();
    this.navigation.arrived();
  }

  showSheet(key, { keepView = false, glide = false } = {}) {
    const sheet = this.model.sheets.get(key) ?? null;
    const other = sheet?.key !== this.sheet?.key;
    this.sheet = sheet;
    this.#tabs.select(key);
    this.minimap.setSheet(sheet);
    this.canvas.setSheet(sheet, { glide: glide && !other });
    this.ghosts.setSheet(key);
    if (sheet && (other || !keepView)) this.position.restore();
    this.#showEmptiness();
    this.frame.describe(this.model, sheet);
    if (this.selection.item && this.selection.item.node.sheet !== key) this.selection.clear();
    this.selection.mark();
    this.editor?.shown();
    this.live?.drawn();
    this.#showMatches(this.#matches.map((item) => this.model.items.get(item.key)).filter(Boolean));
    if (sheet) rememberSheet(this.element.src, sheet.key);
  }

  #showEmptiness() {
    if (!this.model) return;
    const something = this.sheet?.bounds || this.ghosts.bounds;
    this.frame.showMessage(something ? null : emptyMessage(this.model.items.size === 0));
  }

  /** Follows the graph live, and edits it so, over the socket at `address`, until `signal` fires. */
  goLive(address, signal) {
    this.live ??= new Live(address, this);
    this.frame.panel.append(this.live.bar.element);
    this.live.start(signal);
  }

  /** The item of this key, if it lies on the sheet that is shown. */
  onSheet(key) {
    const item = this.model?.items.get(key);
    return item?.node.sheet === this.sheet?.key ? item : null;
  }

  /** The selection is another one. */
  marked() {
    this.editor?.showConnectors(null);
    const { item } = this.selection;
    this.live?.look(this.editor?.selectedKeys ?? [item?.key].filter(Boolean));
  }

  /** Lets the person change the graph; watches over what is not saved until `signal` fires. */
  edit(signal) {
    this.editor ??= new Editor(this);
    this.details.form = this.editor.form;
    addEventListener("beforeunload", (event) => this.editor.unsaved && event.preventDefault(), { signal });
  }

  /** With what is on its way to the server now. */
  redraw() {
    if (this.model) this.#show(true, { glide: false });
  }

  /** When the graph is known in this version or a later one; without a version, as it is now. */
  async reached(version) {
    if (this.live?.live && version) await this.live.reached(version);
    else await this.element.reload();
  }

  #showMatches(items) {
    this.#matches = items;
    this.canvas.overlay.setMatches(
      items.filter((item) => item.node.sheet === this.sheet?.key),
      this.canvas.viewport.seen,
    );
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
