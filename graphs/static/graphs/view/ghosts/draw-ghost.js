// Draws one mark of a proposal: a dashed card for what comes, a struck one for what goes, a ring for what changes, a
// trail for what moves. Each has a badge with its sign, so that nothing depends on colours.

import { SIGNS } from "../../diff/words.js";
import { svg } from "../../dom.js";
import { drawNode } from "../canvas/draw-node.js";
import { drawNote } from "../canvas/draw-note.js";
import { inflated } from "../model/boxes.js";

const BADGE = 9;
/** Far out, where a badge would hide its neighbours, there is none. */
const BADGES_BELOW = 8;

function rect(name, box, radius) {
  return svg("rect", { class: name, x: box.x, y: box.y, width: box.w, height: box.h, rx: radius });
}

function card(item, detail) {
  if (detail.level === "far") return rect("ghost-block", item.box, 6);
  return item.note ? drawNote(item, detail) : drawNode(item, detail);
}

function strike({ x, y, w, h }) {
  return svg("path", { class: "ghost-strike", d: `M${x} ${y + h}L${x + w} ${y}` });
}

/** The line from the old place to the new one, with a head at its end. */
function trail([from, to], unit) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return null;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const size = 8 * Math.max(1, unit);
  const back = { x: middle.x - dx * size, y: middle.y - dy * size };
  const head = `M${back.x - dy * size * 0.6} ${back.y + dx * size * 0.6}L${middle.x} ${middle.y}`
    + `L${back.x + dy * size * 0.6} ${back.y - dx * size * 0.6}`;
  return svg("path", { class: "ghost-trail", d: `M${from.x} ${from.y}L${to.x} ${to.y}${head}` });
}

/**
 * At the corner of a node, where the name may begin right below: grown for the eye, the badge stands above it. Far out
 * names stand above and below, so that it is on the block.
 */
function top({ at, kind }, height, { level, unit }) {
  if (kind === "edge") return at.y - height / 2;
  return level === "far" ? at.y + (at.h - height) / 2 : at.y - height + BADGE / Math.max(1, unit);
}

function badge(mark, detail) {
  const { at, rank, number, action, kind, numbered } = mark;
  const { unit } = detail;
  const scale = Math.max(1, unit);
  const sign = SIGNS[action];
  const width = (numbered ? BADGE * 3.4 : BADGE * 2) * scale;
  const height = BADGE * 2 * scale;
  const step = width + 3 * scale;
  const x = at.x + rank * step - (kind === "edge" ? width / 2 : BADGE * scale);
  const y = top(mark, height, detail);
  return svg(
    "g",
    { class: "ghost-badge" },
    rect("", { x, y, w: width, h: height }, BADGE * scale),
    svg(
      "text",
      { x: x + width / 2, y: y + height / 2 + 4.5 * scale, "font-size": 13 * scale },
      numbered ? `${sign} ${number}` : sign,
    ),
  );
}

const SHAPES = {
  create: ({ item }, detail) => [card(item, detail)],
  delete: ({ item }) => [rect("ghost-veil", item.box, 10), strike(item.box)],
  update: ({ item }) => [rect("ghost-ring", inflated(item.box, 5), 14)],
  move: ({ item, from, trail: points }, detail) => [
    from ? rect("ghost-ring", inflated(from, 5), 14) : null,
    points ? trail(points, detail.unit) : null,
    card(item, detail),
  ],
  leave: ({ item }) => [rect("ghost-ring", inflated(item.box, 5), 14)],
};

function shapes(mark, detail) {
  if (mark.kind === "edge") return [svg("path", { class: "ghost-line", d: mark.line.path })];
  return SHAPES[mark.action](mark, detail).filter(Boolean);
}

/** The group of a mark; `detail` as of `detailFor`. */
export function drawGhost(mark, detail) {
  return svg(
    "g",
    { class: `ghost ${mark.action}${mark.chosen ? " chosen" : ""}`, "data-proposal": mark.proposal.id },
    ...shapes(mark, detail),
    detail.unit < BADGES_BELOW ? badge(mark, detail) : null,
  );
}
