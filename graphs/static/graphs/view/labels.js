// Names in the far view: as many as fit without covering each other, the telling ones first. The choice depends
// on the zoom alone, so that names stand still while the drawing is moved.

import { overlaps } from "./boxes.js";
import { svg } from "./dom.js";
import { noteText, plain } from "./draw-note.js";
import { Grid } from "./grid.js";
import { shorten, textWidth } from "./text.js";

const WIDEST = 170;
const MOST = 4000;

function headingOf(note) {
  const raw = noteText(note.node).split("\n").find((line) => line.trim());
  return raw ? plain(raw).text : "";
}

function candidates({ nodes, notes }) {
  const degree = (item) => item.incoming.length + item.outgoing.length;
  const named = nodes.map((item) => ({ item, text: item.name, weight: (item.style.entry ? 100 : 0) + degree(item), heading: false }));
  const headed = notes.map((item) => ({ item, text: headingOf(item), weight: 1000 + item.box.w / 1e4, heading: true }));
  return [...headed, ...named].filter(({ text }) => text).sort((a, b) => b.weight - a.weight);
}

/** Rectangles already taken, in buckets of about a label's size. */
class Taken {
  #buckets = new Map();

  constructor(size) {
    this.width = size * 8;
    this.height = size * 2;
  }

  #keys(box) {
    const keys = [];
    for (let i = Math.floor(box.x / this.width); i <= Math.floor((box.x + box.w) / this.width); i += 1) {
      for (let j = Math.floor(box.y / this.height); j <= Math.floor((box.y + box.h) / this.height); j += 1) keys.push(`${i}:${j}`);
    }
    return keys;
  }

  /** Takes the rectangle if it is free. */
  take(box) {
    const keys = this.#keys(box);
    if (keys.some((key) => this.#buckets.get(key)?.some((other) => overlaps(other, box)))) return false;
    for (const key of keys) {
      if (this.#buckets.has(key)) this.#buckets.get(key).push(box);
      else this.#buckets.set(key, [box]);
    }
    return true;
  }
}

function boxOf({ item, heading }, width, size) {
  const { box } = item;
  const gap = size * 0.35;
  const height = size * 1.25;
  if (heading) return { x: box.x + gap, y: box.y + gap, w: width, h: height };
  return { x: box.x + box.w / 2 - width / 2 - gap / 2, y: box.y + box.h / 2 - height / 2, w: width + gap, h: height };
}

function placed(candidate, size, unit, taken) {
  const weight = candidate.heading ? 700 : 600;
  const { box } = candidate.item;
  const rooms = candidate.heading ? [Math.min(box.w - size * 0.7, WIDEST * 2 * unit)] : [WIDEST * unit, Math.max(box.w + 40, 52 * unit)];
  for (const room of rooms) {
    const text = room > size * 3 ? shorten(candidate.text, room, size, weight) : "";
    if (text.length < 2) continue;
    const place = boxOf(candidate, textWidth(text, size, weight), size);
    if (taken.take(place)) return { box: place, text, heading: candidate.heading, size };
  }
  return null;
}

/** A Grid of {box, text, heading, size} for one sheet at one step of zoom. */
export function placeLabels(sheet, { font, unit }) {
  const size = font * 1.05;
  const taken = new Taken(size);
  const labels = [];
  for (const candidate of candidates(sheet)) {
    const label = placed(candidate, size, unit, taken);
    if (label) labels.push(label);
    if (labels.length >= MOST) break;
  }
  return new Grid(labels);
}

export function drawLabel({ box, text, heading, size }) {
  const x = heading ? box.x : box.x + box.w / 2;
  return svg("text", { class: heading ? "far-heading" : "far-label", x, y: box.y + size * 0.98, "font-size": size }, text);
}
