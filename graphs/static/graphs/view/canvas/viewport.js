// Which part of the drawing is seen: screen = drawing * k + (x, y). Moves by gestures at once, by commands smoothly.

import { overlaps } from "../model/boxes.js";

const LARGEST = 3;
const SMALLEST = 0.05;
const MOVE_MS = 260;
/** Between a box that fills the view and the edge of it, in pixels. */
const EDGE = 12;

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const ease = (share) => 1 - (1 - share) ** 3;

export class Viewport {
  x = 0;
  y = 0;
  k = 1;
  width = 0;
  height = 0;
  /** What panels cover of the canvas, in pixels. */
  covered = { left: 0, right: 0, bottom: 0 };
  #smallest = SMALLEST;
  #changed;
  #moving = 0;
  #target = null;

  /** `changed()` is called after every change. */
  constructor(changed) {
    this.#changed = changed;
  }

  get state() {
    return { x: this.x, y: this.y, k: this.k };
  }

  /** The view in the drawing's units. */
  get seen() {
    return { x: -this.x / this.k, y: -this.y / this.k, w: this.width / this.k, h: this.height / this.k };
  }

  get center() {
    const { left, right, bottom } = this.covered;
    return { x: (left + this.width - right) / 2, y: (this.height - bottom) / 2 };
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  /** How far one may zoom out: far enough to see all of `bounds`. */
  limitTo(bounds) {
    this.#smallest = bounds ? Math.min(SMALLEST, this.#fitting(bounds).k * 0.7) : SMALLEST;
  }

  /** Whether a reader could have left this view: no nearer and no further than one can zoom, something of `bounds` in it. */
  allows({ x, y, k }, bounds) {
    if (!bounds || k < this.#smallest || k > LARGEST) return false;
    return overlaps(bounds, { x: -x / k, y: -y / k, w: this.width / k, h: this.height / k });
  }

  set({ x, y, k }) {
    this.#stop();
    Object.assign(this, { x, y, k });
    this.#changed();
  }

  panBy(dx, dy) {
    this.set({ x: this.x + dx, y: this.y + dy, k: this.k });
  }

  /** Zooms by `factor` and leaves the point of the screen where it is. */
  zoomBy(factor, point = this.center) {
    this.set(this.#zoomed(this.state, factor, point));
  }

  /** Zooms from where a running movement will end, so that quick presses add up. */
  zoomSmoothly(factor) {
    this.moveTo(this.#zoomed(this.#target ?? this.state, factor, this.center));
  }

  /** Shows all of `bounds`; gives the view {x, y, k} that this leads to. */
  fit(bounds, smoothly = true) {
    if (!bounds) return null;
    const target = this.#fitting(bounds);
    if (smoothly) this.moveTo(target);
    else this.set(target);
    return target;
  }

  isAt(view) {
    return view !== null && view.x === this.x && view.y === this.y && view.k === this.k;
  }

  /** Brings a box to the middle, near enough to read it; of one that is too tall, its head. */
  centerOn({ x, y, w, h }) {
    const k = Math.min(Math.max(this.k, 0.9), 1.4);
    const top = Math.max(EDGE, this.center.y - (h / 2) * k);
    this.moveTo({ k, x: this.center.x - (x + w / 2) * k, y: top - y * k });
  }

  /** Moves just enough to show the box with a margin. */
  reveal({ x, y, w, h }, margin = 48) {
    const left = x * this.k + this.x - margin - this.covered.left;
    const top = y * this.k + this.y - margin;
    const right = left + w * this.k + 2 * margin - (this.width - this.covered.left - this.covered.right);
    const bottom = top + h * this.k + 2 * margin - (this.height - this.covered.bottom);
    const dx = left < 0 ? -left : right > 0 ? -Math.min(right, left) : 0;
    const dy = top < 0 ? -top : bottom > 0 ? -Math.min(bottom, top) : 0;
    if (dx || dy) this.moveTo({ x: this.x + dx, y: this.y + dy, k: this.k });
  }

  moveTo(target) {
    this.#stop();
    if (reducedMotion() || !this.width) {
      this.set(target);
      return;
    }
    const from = { ...this.state, mid: this.#middle(this.state) };
    const to = { ...target, mid: this.#middle(target) };
    const start = performance.now();
    this.#target = target;
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - start) / MOVE_MS));
      this.#between(from, to, ease(share));
      this.#changed();
      if (share < 1) this.#moving = requestAnimationFrame(step);
      else this.#target = null;
    };
    this.#moving = requestAnimationFrame(step);
  }

  #stop() {
    cancelAnimationFrame(this.#moving);
    this.#target = null;
  }

  #middle({ x, y, k }) {
    return { x: (this.width / 2 - x) / k, y: (this.height / 2 - y) / k };
  }

  #between(from, to, share) {
    if (share === 1) {
      Object.assign(this, { x: to.x, y: to.y, k: to.k });
      return;
    }
    this.k = from.k * (to.k / from.k) ** share;
    const part = Math.abs(to.k - from.k) < 1e-9 ? share : (1 / from.k - 1 / this.k) / (1 / from.k - 1 / to.k);
    this.x = this.width / 2 - (from.mid.x + (to.mid.x - from.mid.x) * part) * this.k;
    this.y = this.height / 2 - (from.mid.y + (to.mid.y - from.mid.y) * part) * this.k;
  }

  #zoomed(from, factor, point) {
    const k = Math.min(LARGEST, Math.max(this.#smallest, from.k * factor));
    const ratio = k / from.k;
    return { k, x: point.x - (point.x - from.x) * ratio, y: point.y - (point.y - from.y) * ratio };
  }

  #fitting({ x, y, w, h }) {
    const margin = Math.min(56, this.width * 0.06);
    const width = Math.max(50, this.width - this.covered.left - this.covered.right - 2 * margin);
    const height = Math.max(50, this.height - this.covered.bottom - 2 * margin);
    const k = Math.min(1.15, width / Math.max(w, 1), height / Math.max(h, 1));
    return { k, x: this.center.x - (x + w / 2) * k, y: this.center.y - (y + h / 2) * k };
  }
}
