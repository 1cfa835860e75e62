// Draws sticky notes, and reads their text: markdown becomes plain words, headings stay bold.

import { svg } from "../../dom.js";
import { wrap } from "./text.js";

/** Where the text of a note stands: its data's "content" or "info", or its "process". */
export function noteField({ data, process }) {
  return ["content", "info"].find((name) => (data?.[name] ?? null) !== null) ?? (process ? "process" : "content");
}

/** The text of a sticky note. */
export function noteText(node) {
  const text = node.data?.content ?? node.data?.info ?? node.process;
  return typeof text === "string" && text ? text : node.name || "";
}

function noteLines(item, size) {
  const room = item.box.w - 24;
  const leading = size * 1.32;
  let left = Math.max(item.box.h >= size * 1.2 ? 1 : 0, Math.floor((item.box.h - 18) / leading));
  const found = [];
  for (const raw of noteText(item.node).slice(0, 6000).split("\n")) {
    if (left <= 0) break;
    const { text, heading } = plain(raw);
    const texts = text ? wrap(text, room, size, left, heading ? 700 : 400) : [""];
    found.push(...texts.map((line) => ({ text: line, heading })));
    left -= texts.length;
  }
  return { found, leading };
}

/** One line of markdown as plain words. */
export function plain(raw) {
  const heading = /^\s*#{1,6}\s+/.test(raw);
  const text = raw
    .replace(/^\s*#{1,6}\s+/, "")
    .replace(/^\s*[-*+]\s+/, "• ")
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`)/g, "");
  return { text: text.trim(), heading };
}

/** Colours of n8n's notes, by number. */
const PAPERS = { 2: 1, 3: 0, 4: 4, 5: 8, 6: 10, 7: 13 };

/** A sticky note: paper behind the nodes, its text cut where the paper ends. */
export function drawNote(item, detail) {
  const { box, node } = item;
  const hue = PAPERS[node.data?.color ?? node.data?.parameters?.color] ?? 2;
  const size = Math.max(13, detail.level === "far" ? Infinity : detail.font);
  const { found, leading } = Number.isFinite(size) ? noteLines(item, size) : { found: [], leading: 0 };
  const top = Math.min(10, (box.h - leading) / 2 - size * 0.1);
  const texts = found.map(({ text, heading }, index) => {
    const place = { x: box.x + 12, y: box.y + top + size + index * leading, "font-size": size };
    return text ? svg("text", { class: heading ? "note-heading" : "note-text", ...place }, text) : null;
  });
  return svg(
    "g",
    { class: `note hue-${hue}`, "data-key": item.key },
    svg("rect", { class: "paper", x: box.x, y: box.y, width: box.w, height: box.h, rx: 8 }),
    ...texts,
  );
}
