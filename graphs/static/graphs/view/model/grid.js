// A grid over a sheet that finds what lies in a rectangle. Holds anything with a `box` {x, y, w, h}.

import { overlaps } from "./boxes.js";

const CELL = 1000;
const MOST_CELLS = 64;

function span(box) {
  return [
    Math.floor(box.x / CELL),
    Math.floor((box.x + box.w) / CELL),
    Math.floor(box.y / CELL),
    Math.floor((box.y + box.h) / CELL),
  ];
}

export class Grid {
  #cells = new Map();
  #wide = [];
  #all;

  constructor(items) {
    this.#all = items;
    for (const item of items) this.#add(item);
  }

  #add(item) {
    const [left, right, top, bottom] = span(item.box);
    if ((right - left + 1) * (bottom - top + 1) > MOST_CELLS) {
      this.#wide.push(item);
      return;
    }
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) {
        const key = `${i}:${j}`;
        const cell = this.#cells.get(key);
        if (cell) cell.push(item);
        else this.#cells.set(key, [item]);
      }
    }
  }

  /** Whether anything overlaps the rectangle. */
  touches(box) {
    const hit = (item) => overlaps(item.box, box);
    const [left, right, top, bottom] = span(box);
    if ((right - left + 1) * (bottom - top + 1) > this.#cells.size) return this.#all.some(hit);
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) if (this.#cells.get(`${i}:${j}`)?.some(hit)) return true;
    }
    return this.#wide.some(hit);
  }

  /** A Set of what overlaps the rectangle, in the order it was added. */
  query(box) {
    const [left, right, top, bottom] = span(box);
    if ((right - left + 1) * (bottom - top + 1) > this.#cells.size) return new Set(
      this.#all.filter((item) => overlaps(item.box, box)),
    );
    const found = new Set(this.#wide.filter((item) => overlaps(item.box, box)));
    for (let i = left; i <= right; i += 1) {
      for (let j = top; j <= bottom; j += 1) {
        for (const item of this.#cells.get(`${i}:${j}`) ?? []) if (overlaps(item.box, box)) found.add(item);
      }
    }
    return found;
  }
}
