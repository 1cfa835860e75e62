// Moving by arrow keys: presses add up to one move, which is done when they rest.

import { Lifted } from "./drag.js";

const RESTED_MS = 700;

export class Nudge {
  #canvas;
  #moved;
  /** {items, dx, dy, lifted, timer} while keys are being pressed. */
  #open = null;

  /** `moved(items, dx, dy)` in the drawing's units. */
  constructor(canvas, moved) {
    this.#canvas = canvas;
    this.#moved = moved;
  }

  get open() {
    return this.#open !== null;
  }

  by(items, dx, dy) {
    if (!same(this.#open?.items, items)) this.settle();
    this.#open ??= { items, dx: 0, dy: 0, lifted: new Lifted(this.#canvas, items) };
    const open = this.#open;
    open.dx += dx;
    open.dy += dy;
    open.lifted.show(open.dx, open.dy);
    clearTimeout(open.timer);
    open.timer = setTimeout(() => this.settle(), RESTED_MS);
  }

  settle() {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    clearTimeout(open.timer);
    open.lifted.drop();
    this.#moved(open.items, open.dx, open.dy);
  }
}

function same(some, others) {
  return some?.length === others.length && some.every((item, index) => item === others[index]);
}
