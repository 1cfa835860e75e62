// The surface of the drawing: moves the scene with the viewport, frame by frame, and tells what lies under a point.

import { html } from "../../dom.js";
import { inside, overlaps } from "../model/boxes.js";
import { Gestures } from "./gestures.js";
import { Overlay } from "./overlay.js";
import { Scene } from "./scene.js";
import { Viewport } from "./viewport.js";

const SETTLED_MS = 150;
/** With more elements than this, zooming stretches the picture and draws it anew when it rests. */
const LIGHT = 700;
const DOTS = 24;
/** How near to a line counts as on it, in pixels. */
const LINE_REACH = 7;

export class Canvas {
  viewport = new Viewport(() => this.#moved());
  #scene = new Scene();
  #stage = html("div", { class: "stage" });
  #dots = html("div", { class: "dots" });
  overlay = new Overlay(this.#scene.groups);
  /** Groups of the drawing for what is being edited: lines and nodes on their way, and where lines may begin. */
  drafts = this.#scene.groups.drafts;
  connectors = this.#scene.groups.connectors;
  #sheet = null;
  #ghosts = null;
  #base = { x: 0, y: 0, k: 1 };
  #frame = 0;
  #settling = 0;
  #callbacks;

  /**
   * `callbacks`: picked(item | null, point, beside), hovered(item | null, point), pointed(point | null), moved(); grabbed(point, pointerType,
   * beside) and doubled(point) as of `gestures.js`; pressed(item | null) gives true where that meant something.
   */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.#stage.append(this.#scene.element);
    this.element = html("div", { class: "canvas", tabindex: "0", role: "application" }, this.#dots, this.#stage);
    new Gestures(this.element, this.viewport, {
      picked: (point, beside) => callbacks.picked(this.itemAt(point), point, beside),
      hovered: (point) => callbacks.hovered(point && this.itemAt(point), point),
      pointed: callbacks.pointed,
      grabbed: callbacks.grabbed,
      doubled: callbacks.doubled,
      pressed: (point) => callbacks.pressed(this.itemAt(point)),
    });
  }

  get level() {
    return this.#scene.detail?.level;
  }

  get detail() {
    return this.#scene.detail;
  }

  /** `glide`: it is the sheet that is shown already, as it is now. */
  setSheet(sheet, { glide = false } = {}) {
    const before = glide ? this.#scene.standing : null;
    this.#sheet = sheet;
    this.#scene.setSheet(sheet);
    this.viewport.limitTo(sheet?.bounds ?? null);
    this.redraw();
    if (before) this.#scene.glideFrom(before);
  }

  /** What is proposed for this sheet: a Grid of marks, or null. */
  setGhosts(grid) {
    this.#ghosts = grid;
    this.#scene.setGhosts(grid);
    this.redraw();
  }

  /** The marks of proposals under a point of the canvas, the uppermost first. */
  marksAt(point) {
    if (!this.#ghosts) return [];
    const spot = this.#spotAround(point);
    return [...this.#ghosts.query(spot)].filter((mark) => mark.hits.some((box) => overlaps(box, spot))).reverse();
  }

  resize() {
    this.viewport.resize(this.element.clientWidth, this.element.clientHeight);
    this.redraw();
  }

  /** Draws the present view in full sharpness. */
  redraw() {
    clearTimeout(this.#settling);
    this.#settling = 0;
    this.#commit();
    this.#scene.update(this.viewport.seen, this.viewport.k);
    this.overlay.show(this.viewport.seen);
    this.#schedule();
  }

  #moved() {
    this.#schedule();
    this.#callbacks.moved();
  }

  #schedule() {
    this.#frame ||= requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.#frame = 0;
    const { k } = this.viewport.state;
    const zooming = k !== this.#base.k;
    if (zooming && this.#scene.drawnCount > LIGHT) this.#settleLater();
    else {
      const redrawn = this.#scene.update(this.viewport.seen, k);
      if (redrawn || zooming) this.#commit();
      this.overlay.show(this.viewport.seen);
    }
    this.#place();
    if (!this.#scene.work()) this.#schedule();
  }

  #settleLater() {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.redraw(), SETTLED_MS);
  }

  #commit() {
    this.#base = this.viewport.state;
    this.#scene.setTransform(this.#base, this.viewport.width, this.viewport.height);
    this.#place();
  }

  #place() {
    const { x, y, k } = this.viewport.state;
    const scale = k / this.#base.k;
    const exact = scale !== 1;
    const [dx, dy] = [
      x - this.#base.x * scale,
      y - this.#base.y * scale,
    ].map((shift) => (exact ? shift : Math.round(shift)));
    this.#stage.style.transform = `translate(${dx}px, ${dy}px) scale(${scale})`;
    this.#placeDots(x, y, k);
  }

  #placeDots(x, y, k) {
    const size = DOTS * k * 2 ** Math.max(0, Math.ceil(Math.log2(0.75 / k)));
    const shift = (value) => (((value % size) + size) % size) - size;
    if (this.#dots.dataset.size !== size.toFixed(2)) {
      this.#dots.dataset.size = size.toFixed(2);
      this.#dots.style.backgroundSize = `${size}px ${size}px`;
    }
    this.#dots.style.transform = `translate(${shift(x)}px, ${shift(y)}px)`;
  }

  /** A point of the canvas in the drawing. */
  spotAt(point) {
    const { x, y, k } = this.viewport.state;
    return { x: (point.x - x) / k, y: (point.y - y) / k };
  }

  /** The items that a circle around a point touches, which is given in the drawing's units. */
  itemsNear(point, reach) {
    const { x, y } = this.spotAt(point);
    return this.#sheet ? [...this.#sheet.nodeGrid.query({ x: x - reach, y: y - reach, w: 2 * reach, h: 2 * reach })] : [];
  }

  /** The nodes that a box of the drawing touches, and the notes that lie in it as a whole. */
  itemsIn(box) {
    if (!this.#sheet) return [];
    const notes = [...this.#sheet.noteGrid.query(box)].filter((note) => inside(note.box, box));
    return [...this.#sheet.nodeGrid.query(box), ...notes];
  }

  /** The line under a point, or near it, where lines are drawn one by one. */
  lineAt(point) {
    if (!this.#sheet || this.level === "far") return null;
    const { x, y } = this.spotAt(point);
    const reach = LINE_REACH / this.viewport.k;
    const around = { x: x - reach, y: y - reach, w: 2 * reach, h: 2 * reach };
    return [...this.#sheet.lineGrid.query(around)].find((line) => this.#scene.touches(line, { x, y }, reach)) ?? null;
  }

  /** Shows only faintly what is dragged elsewhere: nodes, notes and lines by key. */
  lift(keys) {
    this.element.classList.toggle("lifting", keys.length > 0);
    this.#scene.lift(new Set(keys));
  }

  /** A point of the canvas in the drawing, a little larger far out. */
  #spotAround(point) {
    const { x, y, k } = this.viewport.state;
    const slack = k < 0.3 ? 4 / k : 0;
    return { x: (point.x - x) / k - slack, y: (point.y - y) / k - slack, w: 2 * slack, h: 2 * slack };
  }

  itemAt(point) {
    if (!this.#sheet) return null;
    const spot = this.#spotAround(point);
    const nodes = [...this.#sheet.nodeGrid.query(spot)];
    const notes = nodes.length ? [] : [...this.#sheet.noteGrid.query(spot)];
    return nodes.at(-1) ?? notes.at(-1) ?? null;
  }
}
