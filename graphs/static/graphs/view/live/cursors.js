// Where people point, as the graph's data has it: each page stretches its sheets in its own way.

import { svg } from "../../dom.js";
import { hueOf } from "./bar.js";

/** The place of a spot of the drawing, for the others. */
export function placeOf({ x, y }, { key, stretch }) {
  return { sheet: key, x: Math.round(x / stretch.x), y: Math.round(y / stretch.y) };
}

/** A dot where somebody points, with their name beside it. */
export function drawCursor({ name, cursor }, { stretch }) {
  const [x, y] = [cursor.x * stretch.x, cursor.y * stretch.y];
  const label = svg("text", { class: "live-cursor", x, y, dx: "0.8em", dy: "0.35em" });
  label.textContent = name;
  const parts = [svg("circle", { class: "live-dot", cx: x, cy: y, r: 5 }), label];
  for (const part of parts) part.style.setProperty("--hue", hueOf(name));
  return parts;
}
