// A group of the drawing that holds elements only for what is in view. What the reader sees is drawn at once,
// the surroundings in the time that frames leave.

import { overlaps } from "../model/boxes.js";

export class Layer {
  #group;
  #grid = null;
  #draw;
  #drawn = new Map();
  #pending = [];
  #detailKey = "";
  #detail = null;

  /** `draw(item, detail)` gives the element of an item, or null for nothing. */
  constructor(group, draw) {
    this.#group = group;
    this.#draw = draw;
  }

  get size() {
    return this.#drawn.size;
  }

  /** What is drawn: [item, element] of each. */
  get drawn() {
    return [...this.#drawn].filter(([, element]) => element);
  }

  setGrid(grid) {
    if (grid === this.#grid) return;
    this.clear();
    this.#grid = grid;
  }

  clear() {
    this.#group.replaceChildren();
    this.#drawn.clear();
    this.#pending = [];
  }

  /** Holds what lies in `region`; what lies in `seen` stands when this returns, the rest after enough `work`. */
  update(region, seen, detail) {
    if (!this.#grid) return;
    if (detail.key !== this.#detailKey) this.clear();
    this.#detailKey = detail.key;
    this.#detail = detail;
    const wanted = this.#grid.query(region);
    for (const [item, element] of this.#drawn) {
      if (wanted.has(item)) continue;
      element?.remove();
      this.#drawn.delete(item);
    }
    const missing = [...wanted].filter((item) => !this.#drawn.has(item));
    this.#add(missing.filter((item) => overlaps(item.box, seen)));
    this.#pending = missing.filter((item) => !overlaps(item.box, seen));
  }

  /** Draws pending items until `deadline` (of performance.now()); true when none is left. */
  work(deadline) {
    while (this.#pending.length && performance.now() < deadline) this.#add(this.#pending.splice(-20));
    return this.#pending.length === 0;
  }

  #add(items) {
    const elements = [];
    for (const item of items) {
      const element = this.#draw(item, this.#detail);
      this.#drawn.set(item, element);
      if (element) elements.push(element);
    }
    this.#group.append(...elements);
  }
}
