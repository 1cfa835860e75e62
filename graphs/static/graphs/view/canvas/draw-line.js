// Draws edges: the line, its label, and the lines and arrow heads that are lit.

import { svg } from "../../dom.js";
import { shorten, textWidth } from "./text.js";

const LABEL = 10.5;

export function drawLine(line) {
  return svg("path", { class: `line ${line.kind}`, d: line.path, "data-key": line.key });
}

/** The label on a pill at the middle of the line; null where the edge has none. */
export function drawLineLabel(line) {
  const text = shorten(line.label, 140, LABEL, 500);
  if (!text) return null;
  const width = textWidth(text, LABEL, 500) + 14;
  const { x, y } = line.middle;
  return svg(
    "g",
    { class: `line-label ${line.kind}` },
    svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }),
    svg("text", { x, y: y + 3.7, "font-size": LABEL }, text),
  );
}

/** The line again, for the selected node and its neighbours; `direction` is "into" or "out" of that node. */
export function drawLitLine(line, direction) {
  return svg("g", { class: `lit ${direction}` }, svg("path", { class: `line ${line.kind}`, d: line.path }));
}
