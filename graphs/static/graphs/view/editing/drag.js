// Dragging in the drawing: a node to another place, or a line from an out handle to the node that it shall lead to.

import { svg } from "../../dom.js";
import { drawLine } from "../canvas/draw-line.js";
import { drawNode } from "../canvas/draw-node.js";
import { drawNote } from "../canvas/draw-note.js";
import { linesOf } from "../model/model.js";
import { route } from "../model/routing.js";
import { handlesOf } from "./connections.js";

const REACH = { mouse: 11, pen: 14, touch: 20 };
/** Of more than this that are dragged together only so many are drawn on their way. */
const MOST_DRAWN = 200;

/** Where a handle is, or would be drawn. */
function placeOf(handle, item, direction) {
  if (handle.side && Number.isFinite(handle.x)) return handle;
  const { x, y, w, h } = item.box;
  return { ...handle, side: direction === "out" ? "R" : "L", x: direction === "out" ? x + w : x, y: y + h / 2 };
}

function near(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The out handle of `item` at this spot, or null. */
export function outHandleAt(item, spot, reach) {
  if (!item || item.note) return null;
  const places = handlesOf(item, "out").map((handle) => placeOf(handle, item, "out"));
  const nearest = places.sort((a, b) => near(a, spot) - near(b, spot))[0];
  return nearest && near(nearest, spot) <= reach ? nearest : null;
}

export function reachOf(pointerType, k) {
  return (REACH[pointerType] ?? REACH.mouse) / k;
}

/** Rings on the out handles of a node, from which lines can be drawn. */
export function drawConnectors(item, k) {
  if (!item || item.note) return [];
  return handlesOf(item, "out")
    .map((handle) => placeOf(handle, item, "out"))
    .map(({ x, y }) => svg("circle", { class: "connector", cx: x, cy: y, r: Math.max(6, 5 / k) }));
}

function shifted(item, dx, dy) {
  const move = (place) => ({ ...place, x: place.x + dx, y: place.y + dy });
  return { ...item, box: move(item.box), handles: item.handles.map(move) };
}

/** The lines of items that are drawn elsewhere, `copies` by item. */
function movedLines(copies) {
  const end = (item, handle) => {
    const copy = copies.get(item);
    return copy ? { box: copy.box, handle: copy.handles[item.handles.indexOf(handle)] } : { box: item.box, handle };
  };
  return linesOf([...copies.keys()]).filter((line) => line.path).map((line) => {
    const from = end(line.source, line.from);
    const to = end(line.target, line.to);
    return { ...line, ...route(from.handle, to.handle, from.box, to.box) };
  });
}

/** Nodes elsewhere, with their lines; what is drawn of them otherwise is hidden meanwhile. */
export class Lifted {
  #canvas;
  #items;

  constructor(canvas, items) {
    this.#canvas = canvas;
    this.#items = items;
  }

  show(dx, dy) {
    const { detail } = this.#canvas;
    const copies = new Map(this.#items.slice(0, MOST_DRAWN).map((item) => [item, shifted(item, dx, dy)]));
    const lines = movedLines(copies);
    const drawn = [...copies.values()].map((copy) => (copy.note ? drawNote(copy, detail) : drawNode(copy, detail)));
    this.#canvas.drafts.replaceChildren(...lines.map(drawLine), ...drawn);
    this.#canvas.lift([...this.#items, ...lines].map(({ key }) => key));
  }

  drop() {
    this.#canvas.drafts.replaceChildren();
    this.#canvas.lift([]);
  }
}

/** A drag (see canvas/gestures.js) that calls `moved(dx, dy)` in the drawing's units. */
export function nodeDrag(canvas, items, start, moved) {
  const lifted = new Lifted(canvas, items);
  return {
    move: (point) => lifted.show(...from(start, canvas.spotAt(point))),
    end: (point) => {
      lifted.drop();
      moved(...from(start, canvas.spotAt(point)));
    },
    cancel: () => lifted.drop(),
  };
}

function from(start, spot) {
  return [spot.x - start.x, spot.y - start.y];
}

/** A drag that draws a box and calls `chosen(items)` with what it touches. */
export function boxDrag(canvas, start, chosen) {
  const around = (point) => {
    const spot = canvas.spotAt(point);
    const [x, y] = [Math.min(spot.x, start.x), Math.min(spot.y, start.y)];
    return { x, y, w: Math.abs(spot.x - start.x), h: Math.abs(spot.y - start.y) };
  };
  const clear = () => canvas.drafts.replaceChildren();
  return {
    move: (point) => {
      const { x, y, w, h } = around(point);
      const rings = canvas.itemsIn({ x, y, w, h }).slice(0, MOST_DRAWN).map(ringAround);
      canvas.drafts.replaceChildren(svg("rect", { class: "choice-box", x, y, width: w, height: h }), ...rings);
    },
    end: (point) => {
      clear();
      chosen(canvas.itemsIn(around(point)));
    },
    cancel: clear,
  };
}

/** A drag that calls `connected(target, handle)`, or `released(spot)` over nothing. */
export function lineDrag(canvas, source, handle, { connected, released }) {
  const target = (point) => {
    const item = canvas.itemAt(point);
    const into = item && !item.note && inHandleAt(item, canvas.spotAt(point));
    return into ? { item, into } : null;
  };
  const clear = () => canvas.drafts.replaceChildren();
  return {
    move: (point) => {
      const found = target(point);
      const to = found ? found.into : { ...canvas.spotAt(point), side: "L" };
      const box = found ? found.item.box : { x: to.x, y: to.y, w: 0, h: 0 };
      const line = { key: "", kind: "main", ...route(handle, to, source.box, box) };
      canvas.drafts.replaceChildren(...(found ? [ringAround(found.item)] : []), drawLine(line));
    },
    end: (point) => {
      clear();
      const found = target(point);
      if (found) connected(found.item, found.into);
      else released(canvas.spotAt(point));
    },
    cancel: clear,
  };
}

function inHandleAt(item, spot) {
  const places = handlesOf(item, "in").map((handle) => placeOf(handle, item, "in"));
  return places.sort((a, b) => near(a, spot) - near(b, spot))[0];
}

function ringAround({ box }) {
  return svg("rect", {
    class: "ring target", x: box.x - 4, y: box.y - 4, width: box.w + 8, height: box.h + 8, rx: 14,
  });
}
