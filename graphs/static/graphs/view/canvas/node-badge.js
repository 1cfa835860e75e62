// The coloured tile with a node's icon, as it stands in lists and in the head of the details.

import { svg } from "../../dom.js";
import { drawIcon } from "./draw-node.js";

export function nodeBadge({ style }, size = 32) {
  const inner = size * 0.58;
  const margin = (size - inner) / 2;
  const attributes = {
    class: `badge hue-${style.hue}`, width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true",
  };
  return svg(
    "svg",
    attributes,
    svg("rect", { class: "tile", width: size, height: size, rx: size * 0.25 }),
    drawIcon(style.icon, margin, margin, inner),
  );
}
