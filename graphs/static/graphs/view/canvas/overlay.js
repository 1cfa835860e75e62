// What stands out: the selected node with its edges and neighbours, nodes chosen together, what a search found, what
// just changed.

import { svg } from "../../dom.js";
import { hueOf } from "../live/bar.js";
import { drawCursor } from "../live/cursors.js";
import { inside, overlaps, widened } from "../model/boxes.js";
import { drawLitLine } from "./draw-line.js";
import { headPath } from "./icon-path.js";

const MOST_RINGS = 600;
const MOST_LIT = 400;

function ring({ box, note }, kind, gap) {
  const radius = (note ? 8 : Math.min(12, box.h / 4)) + gap;
  return svg(
    "rect",
    {
      class: `ring ${kind}`,
      x: box.x - gap,
      y: box.y - gap,
      width: box.w + 2 * gap,
      height: box.h + 2 * gap,
      rx: radius,
    },
  );
}

/**
 * A ring in the colour of the first of those who selected an item, with the names of all of them at its right corner:
 * at the left one are the badges of proposals.
 */
function othersRing(item, names) {
  const { x, y, w } = item.box;
  const label = svg("text", { class: "live-name", x: x + w, y: y - 11, "text-anchor": "end" });
  label.textContent = names.join(", ");
  const parts = [ring(item, "live-ring", 6), label];
  for (const part of parts) part.style.setProperty("--hue", hueOf(names[0]));
  return parts;
}

/** The nodes at the other end of an item's edges on its own sheet. */
function neighboursOf(item) {
  const others = [...item.incoming.map((line) => line.source), ...item.outgoing.map((line) => line.target)];
  return new Set(others.filter((other) => other !== item && other.node.sheet === item.node.sheet));
}

function linesOf(lines, direction) {
  return lines.filter((line) => line.path).slice(0, MOST_LIT).map((line) => [line, direction]);
}

export class Overlay {
  #lines;
  #matches = [];
  #region = null;
  #matchElements = svg("g", { class: "matches" });
  #selectionElements = svg("g", { class: "selection" });
  #chosenElements = svg("g", { class: "chosen" });
  #changeElements = svg("g", { class: "changes" });
  #othersElements = svg("g", { class: "others" });

  /** `groups` of the scene: what stands out goes to "lit-lines" and "rings". */
  constructor(groups) {
    this.#lines = groups["lit-lines"];
    groups.rings.append(this.#othersElements, this.#changeElements, this.#matchElements, this.#chosenElements, this.#selectionElements);
  }

  /** Rings around items that are chosen together. */
  choose(items) {
    this.#chosenElements.replaceChildren(...items.slice(0, MOST_RINGS).map((item) => ring(item, "selected", 4)));
  }

  /** What others selected of a sheet, and where they point: [{name, selection, cursor?}]; `shown(key)` gives an item of it, or null. */
  markOthers(people, sheet, shown) {
    const names = new Map();
    for (const { name, selection } of people) {
      for (const item of selection.map(shown).filter(Boolean)) names.set(item, [...new Set(names.get(item)).add(name)]);
    }
    const rings = [...names].slice(0, MOST_RINGS).flatMap(([item, its]) => othersRing(item, its));
    const cursors = people.filter(({ cursor }) => sheet && cursor?.sheet === sheet.key);
    this.#othersElements.replaceChildren(...rings, ...cursors.flatMap((one) => drawCursor(one, sheet)));
  }

  /** `matches`: the found items of the sheet that is shown. */
  setMatches(matches, seen) {
    this.#matches = matches;
    this.#region = null;
    this.show(seen);
  }

  /** Rings that fade, around the items. */
  flash(items) {
    this.#changeElements.replaceChildren(...items.slice(0, MOST_RINGS).map((item) => ring(item, "changed", 5)));
  }

  /** Draws the rings of matches in and around the view. */
  show(seen) {
    if (this.#region && inside(seen, this.#region)) return;
    const region = widened(seen, 0.6);
    this.#region = region;
    const visible = this.#matches.filter((item) => overlaps(item.box, region)).slice(0, MOST_RINGS);
    this.#matchElements.replaceChildren(...visible.map((item) => ring(item, "match", 4)));
  }

  /** An item with its edges and neighbours, or nothing. */
  select(item) {
    if (!item) {
      this.#lines.replaceChildren();
      this.#selectionElements.replaceChildren();
      return;
    }
    const lit = [...linesOf(item.incoming, "into"), ...linesOf(item.outgoing, "out")];
    this.#lines.replaceChildren(...lit.map(([line, direction]) => drawLitLine(line, direction)));
    const heads = lit.map(([{ to }, direction]) =>
      svg("path", { class: `head ${direction}`, d: headPath(to, 11, 6.5) }));
    const near = [...neighboursOf(item)].slice(0, MOST_LIT);
    this.#selectionElements.replaceChildren(
      ...near.map((other) => ring(other, "neighbour", 3)),
      ring(item, "selected", 4),
      ...heads,
    );
  }
}
