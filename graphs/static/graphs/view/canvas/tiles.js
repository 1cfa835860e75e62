// The far view: nodes as blocks and edges as lines, one path per colour and tile, so that 10,000 nodes are a few
// hundred elements.

import { svg } from "../../dom.js";
import { overlaps, union } from "../model/boxes.js";

const TILE = 1600;

const block = ({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;

class Tiles {
  #group;
  #tiles = [];

  constructor(group) {
    this.#group = group;
  }

  /** `entries`: [{box, at: {x, y}, style, path}]; one element per tile and style. */
  fill(entries) {
    this.clear();
    const tiles = new Map();
    for (const { box, at, style, path } of entries) {
      const key = `${Math.floor(at.x / TILE)}:${Math.floor(at.y / TILE)}:${style}`;
      const tile = tiles.get(key) ?? { box: null, style, parts: [], element: null };
      tile.box = union(tile.box, box);
      tile.parts.push(path);
      tiles.set(key, tile);
    }
    this.#tiles = [...tiles.values()];
  }

  clear() {
    this.hide();
    this.#tiles = [];
  }

  hide() {
    this.#group.replaceChildren();
    for (const tile of this.#tiles) tile.shown = false;
  }

  update(region) {
    const added = [];
    for (const tile of this.#tiles) {
      const visible = overlaps(tile.box, region);
      if (visible === Boolean(tile.shown)) continue;
      tile.shown = visible;
      tile.element ??= svg("path", { class: tile.style, d: tile.parts.join("") });
      if (visible) added.push(tile.element);
      else tile.element.remove();
    }
    this.#group.append(...added);
  }
}

/** Blocks and lines of a sheet far out. */
export class FarView {
  #blocks;
  #lines;
  #sheet = null;
  #filled = false;

  constructor(blockGroup, lineGroup) {
    this.#blocks = new Tiles(blockGroup);
    this.#lines = new Tiles(lineGroup);
  }

  setSheet(sheet) {
    this.#sheet = sheet;
    this.#filled = false;
    this.#blocks.clear();
    this.#lines.clear();
  }

  update(region) {
    if (!this.#filled) this.#fill();
    this.#blocks.update(region);
    this.#lines.update(region);
  }

  hide() {
    this.#blocks.hide();
    this.#lines.hide();
  }

  #fill() {
    const { nodes, lines } = this.#sheet;
    this.#blocks.fill(
      nodes.map(({ box, style }) => ({ box, at: box, style: `block hue-${style.hue}`, path: block(box) })),
    );
    this.#lines.fill(lines.map(({ box, middle, kind, path }) => ({ box, at: middle, style: `line ${kind}`, path })));
    this.#filled = true;
  }
}
