// Names in the far view: as many as fit without covering each other, the telling ones first. The choice depends
// on the zoom alone, so that names stand still while the drawing is moved.

import { svg } from "../../dom.js";
import { inflated } from "../model/boxes.js";
import { Grid } from "../model/grid.js";
import { noteText, plain } from "./draw-note.js";
import { shorten, textWidth } from "./text.js";

const WIDEST = 150;
const HEADING_WIDEST = 320;
const SHORTEST = { heading: 4, name: 8 };
/** How far names reach beyond the outermost nodes, in pixels: no more than the margin where everything is shown. */
const BEYOND = 14;
const MOST = 3000;
/** Where blocks lie so close that a name must cover some, names keep this far apart, in pixels. */
const LONELY = { x: 70, y: 26 };

function headingOf(note) {
  const lines = noteText(note.node).slice(0, 6000).split("\n");
  return lines.map((line) => plain(line).text).find((text) => /[\p{L}\p{N}]/u.test(text)) ?? "";
}

function candidates({ nodes, notes }) {
  const degree = (item) => item.incoming.length + item.outgoing.length;
  const named = nodes.map(
    (item) => ({ item, text: item.name, weight: (item.style.entry ? 100 : 0) + degree(item), heading: false }),
  );
  const headed = notes.map((item) => ({ item, text: headingOf(item), weight: 1000 + item.box.w / 1e4, heading: true }));
  return [...headed, ...named].filter(({ text }) => text).sort((a, b) => b.weight - a.weight);
}

/** Rectangles for a text of this width, the best one first: a heading in its note, a name under or over its block. */
function places({ item, heading }, width, size, { left, right }) {
  const { box } = item;
  const height = size * 1.25;
  if (heading) return [{ x: box.x + size * 0.35, y: box.y + size * 0.3, w: width, h: height }];
  const x = Math.max(left, Math.min(right - width, box.x + box.w / 2 - width / 2));
  return [
    { x, y: box.y + box.h + size * 0.2, w: width, h: height },
    { x, y: box.y - height - size * 0.2, w: width, h: height },
  ];
}

/** The text as long as `room` allows; null where too little of it would be left. */
function fittingText({ text, heading }, room, size) {
  const weight = heading ? 700 : 500;
  const fitting = room > size * 2 ? shorten(text, room, size, weight) : "";
  const telling = fitting === text || fitting.length >= SHORTEST[heading ? "heading" : "name"];
  return telling && fitting ? { text: fitting, width: textWidth(fitting, size, weight) } : null;
}

function rooms({ item, heading }, size, unit) {
  if (heading) return [Math.min(item.box.w - size * 0.7, HEADING_WIDEST * unit)];
  return [WIDEST * unit, item.box.w * 1.2];
}

/** The label of a candidate where it covers no other block or label, or stands alone; null where it cannot. */
function placed(candidate, detail, size, taken, blocks, edges) {
  const { heading } = candidate;
  const attempt = ({ text, width }, alone) => {
    const [dx, dy] = alone ? [LONELY.x * detail.unit, LONELY.y * detail.unit] : [size * 0.4, 0];
    const calm = (box) => alone || heading || !blocks.touches(box);
    const free = (box) => calm(box) && !taken.touches(inflated(box, dx, dy));
    const box = places(candidate, width, size, edges).find(free);
    if (!box) return null;
    taken.add({ box: inflated(box, dx, dy) });
    return { box, text, heading, size };
  };
  const texts = rooms(candidate, size, detail.unit).map((room) => fittingText(candidate, room, size)).filter(Boolean);
  for (const text of texts) {
    const label = attempt(text, false);
    if (label) return label;
  }
  return texts.length ? attempt(texts[0], true) : null;
}

/** A Grid of {box, text, heading, size} for one sheet at one step of zoom. */
export function placeLabels(sheet, detail) {
  const size = detail.font;
  const taken = new Grid([], size * 8);
  const labels = [];
  const { x = 0, w = 0 } = sheet.bounds ?? {};
  const edges = { left: x - BEYOND * detail.unit, right: x + w + BEYOND * detail.unit };
  for (const candidate of candidates(sheet)) {
    const label = placed(candidate, detail, size, taken, sheet.nodeGrid, edges);
    if (label) labels.push(label);
    if (labels.length >= MOST) break;
  }
  return new Grid(labels);
}

export function drawLabel({ box, text, heading, size }) {
  const x = heading ? box.x : box.x + box.w / 2;
  return svg(
    "text",
    { class: heading ? "far-heading" : "far-label", x, y: box.y + size * 0.98, "font-size": size },
    text,
  );
}
