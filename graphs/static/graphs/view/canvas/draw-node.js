// Draws one node as a card: icon, name, type, handles. At a middle distance the name grows and the small print goes.

import { svg } from "../../dom.js";
import { headPath, placedPath } from "./icon-path.js";
import { shorten, wrap } from "./text.js";

const NAME = 13;
const TYPE = 11;
const TILE = 40;
const PADDING = 12;
const PREVIEW_FROM = 120;

function lines(texts, x, y, size, leading, attributes) {
  return texts.map(
    (text, index) => svg("text", { x, y: y + size * 0.82 + index * leading, "font-size": size, ...attributes }, text),
  );
}

export function drawIcon({ path, text }, x, y, size) {
  if (path) return svg(
    "path",
    { class: "icon-path", d: placedPath(path, x, y, size), "stroke-width": (1.7 * size) / 24 },
  );
  return svg("text", { class: "monogram", x: x + size / 2, y: y + size * 0.69, "font-size": size * 0.62 }, text);
}

function tile(item, size, x, y) {
  const inner = size * 0.56;
  const margin = (size - inner) / 2;
  return [
    svg("rect", { class: "tile", x, y, width: size, height: size, rx: size * 0.24 }),
    drawIcon(item.style.icon, x + margin, y + margin, inner),
  ];
}

/** The inside of the card: {iconSize, iconX, iconY, textX, room, height}; the head of a tall card is 60 high. */
function layout({ box }) {
  const height = box.h >= PREVIEW_FROM ? 60 : box.h;
  const iconSize = box.w < 96 ? 0 : Math.min(TILE, height - 12);
  const before = iconSize ? PADDING + iconSize + 11 : PADDING;
  return {
    iconSize,
    iconX: box.x + PADDING,
    iconY: box.y + (height - iconSize) / 2,
    textX: box.x + before,
    room: box.w - before - PADDING,
    height,
  };
}

function nearText(item) {
  const { iconSize, iconX, iconY, textX, room, height } = layout(item);
  const withType = height >= 40;
  const limit = Math.max(1, Math.min(2, Math.floor((height - (withType ? 18 : 4)) / 16)));
  const name = wrap(item.name, room, NAME, limit, 600);
  const block = name.length * 16 + (withType ? 15 : 0);
  const top = item.box.y + (height - block) / 2 + 1;
  const typeTop = top + name.length * 16 + 1;
  return [
    ...(iconSize ? tile(item, iconSize, iconX, iconY) : []),
    ...lines(name, textX, top, NAME, 16, { class: "name" }),
    ...(withType ? lines([shorten(item.style.title, room, TYPE)], textX, typeTop, TYPE, 14, { class: "type" }) : []),
  ];
}

function preview(item) {
  const { box, node } = item;
  if (box.h < PREVIEW_FROM || !node.process) return [];
  const top = box.y + 62;
  const height = box.h - 62 - PADDING;
  const count = Math.floor((height - 12) / 14);
  const code = node.process.slice(0, 4000).split("\n").slice(0, count);
  const room = box.w - 2 * PADDING - 18;
  const texts = code.map((line) => shorten(line.replace(/\t/g, "  ").trimEnd(), room, 11));
  return [
    svg("rect", { class: "preview", x: box.x + PADDING, y: top, width: box.w - 2 * PADDING, height, rx: 6 }),
    ...lines(texts, box.x + PADDING + 9, top + 8, 10, 14, { class: "preview-line" }),
  ];
}

/** The icon beside a large name: {icon, x}, its size and where the name begins; small where the name needs the room. */
function midIcon(item, font, nameAt) {
  const { box } = item;
  const { iconSize, textX } = layout(item);
  const plain = { icon: 0, x: box.x + 9 };
  if (!iconSize) return plain;
  if (font <= 17) return { icon: iconSize, x: textX };
  const icon = Math.min(iconSize, font);
  const small = { icon, x: box.x + 9 + icon + 6 };
  const whole = nameAt(small.x).join(" ") === item.name.trim().replace(/\s+/g, " ");
  return whole || nameAt(small.x).join() === nameAt(plain.x).join() ? small : plain;
}

function midText(item, font) {
  const { box } = item;
  const { height } = layout(item);
  const size = Math.max(NAME, Math.min(font, height * 0.6));
  const limit = Math.max(1, Math.floor((height - 4) / (size * 1.1)));
  const nameAt = (x) => wrap(item.name, box.x + box.w - x - 8, size, Math.min(3, limit), 600);
  const { icon, x } = midIcon(item, font, nameAt);
  const name = nameAt(x);
  const top = box.y + (height - name.length * size * 1.1) / 2;
  const iconX = box.x + (font <= 17 ? PADDING : 9);
  return [
    ...(icon ? tile(item, icon, iconX, box.y + (height - icon) / 2) : []),
    ...lines(name, x, top, size, size * 1.1, { class: "name" }),
  ];
}

/** The icon on the block of the far view. */
export function drawFarIcon(item) {
  const { box, style } = item;
  const size = Math.min(box.h, box.w) * 0.8;
  return svg(
    "g",
    { class: "far-icon" },
    drawIcon(style.icon, box.x + (box.w - size) / 2, box.y + (box.h - size) / 2, size),
  );
}

const LABEL_AT = { R: [9, -5, "start"], L: [-11, -5, "end"], T: [6, -7, "start"], B: [6, 15, "start"] };

function handleMark(handle) {
  const kind = /^ai_/.test(handle.accept) || /(^|[^a-z])ai_/.test(handle.id) ? " ai" : "";
  if (handle.direction === "in") return svg("path", { class: `handle in${kind}`, d: headPath(handle, 9, 5.5) });
  return svg("circle", { class: `handle out${kind}`, cx: handle.x, cy: handle.y, r: 4 });
}

function handleLabels(item) {
  const onSide = (handle) => item.handles.filter((other) => other.side === handle.side).length;
  return item.handles
    .filter((handle) => handle.title && (handle.label || onSide(handle) > 1))
    .map((handle) => {
      const [dx, dy, anchor] = LABEL_AT[handle.side];
      const room = handle.side === "R" || handle.side === "L" ? 84 : item.box.w / onSide(handle) - 14;
      const text = shorten(handle.title, room, 9.5);
      return svg(
        "text",
        { class: "handle-label", x: handle.x + dx, y: handle.y + dy, "text-anchor": anchor, "font-size": 9.5 },
        text,
      );
    });
}

/** The group of one node; `detail` as of `detailFor`. */
export function drawNode(item, detail) {
  const { box, style } = item;
  const near = detail.level === "near";
  const bold = !near && detail.font > 17;
  return svg(
    "g",
    { class: `node hue-${style.hue}${bold ? " bold" : ""}`, "data-key": item.key },
    svg("rect", { class: "card", x: box.x, y: box.y, width: box.w, height: box.h, rx: Math.min(12, box.h / 4) }),
    ...(near ? nearText(item) : midText(item, detail.font)),
    ...(near ? preview(item) : []),
    ...item.handles.map(handleMark),
    ...(near ? handleLabels(item) : []),
  );
}
