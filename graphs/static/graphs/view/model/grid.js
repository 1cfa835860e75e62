// A grid over a sheet that finds what lies in a rectangle. Holds anything with a `box` {x, y, w, h}.

import { overlaps } from "./boxes.js";

const CELL = 1000;
const MOST_CELLS = 64;

/** Of the cell in a column and a row; far apart ones may share a number, which only costs a comparison. */
const numberOf = (i, j) => i * 1_000_003 + j;

export class Grid {
  #cells = new Map();
  #wide = [];
  #all = [];
  #size;

  /** `size` is that of a cell. */
  constructor(items, size = CELL) {
    this.#size = size;
    for (const item of items) this.add(item);
  }

  #span({ x, y, w, h }) {
    const at = (value) => Math.floor(value / this.#size);
    return [at(x), at(x + w), at(y), at(y + h)];
  }

  add(item) {
    this.#all.push(item);
    const [left, right, top, bottom] = this.#span(item.box);
    if ((right - left + 1) * (bottom - top + 1) > MOST_CELLS) {
      this.#wide.push(item);
      return;
    }
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) {
        const key = numberOf(i, j);
        const cell = this.#cells.get(key);
        if (cell) cell.push(item);
        else this.#cells.set(key, [item]);
      }
    }
  }

  /** Whether anything overlaps the rectangle. */
  touches(box) {
    const hit = (item) => overlaps(item.box, box);
    const [left, right, top, bottom] = this.#span(box);
    if ((right - left + 1) * (bottom - top + 1) > this.#cells.size) return this.#all.some(hit);
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) if (this.#cells.get(numberOf(i, j))?.some(hit)) return true;
    }
    return this.#wide.some(hit);
  }

  /** A Set of what overlaps the rectangle, in the order it was added. */
  query(box) {
    const [left, right, top, bottom] = this.#span(box);
    if ((right - left + 1) * (bottom - top + 1) > this.#cells.size) return new Set(
      this.#all.filter((item) => overlaps(item.box, box)),
    );
    const found = new Set(this.#wide.filter((item) => overlaps(item.box, box)));
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) {
        for (const item of this.#cells.get(numberOf(i, j)) ?? []) if (overlaps(item.box, box)) found.add(item);
      }
    }
    return found;
  }
}
