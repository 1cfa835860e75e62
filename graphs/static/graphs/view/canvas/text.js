// How wide text is, and where it breaks: SVG neither wraps nor shortens. Widths are measured once per word.

const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MEASURED_AT = 100;

let context = null;
const widths = new Map();

function measure(text, weight) {
  const key = `${weight} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    context ??= document.createElement("canvas").getContext("2d");
    context.font = `${weight} ${MEASURED_AT}px ${FONT_FAMILY}`;
    width = context.measureText(text).width / MEASURED_AT;
    if (widths.size > 50_000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** Width of `text` in the unit of `size`. */
export function textWidth(text, size, weight = 400) {
  return measure(text, weight) * size;
}

/** `text` with an ellipsis where it is wider than `room`. */
export function shorten(text, room, size, weight = 400) {
  if (textWidth(text, size, weight) <= room) return text;
  const letters = Array.from(text.slice(0, 400));
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${letters.slice(0, low).join("").trimEnd()}…`;
}

function firstPieceThatFits(word, room, size, weight) {
  const letters = Array.from(word);
  let count = letters.length;
  while (count > 1 && textWidth(
    letters.slice(0, count).join(""),
    size,
    weight,
  ) > room) count = Math.min(count - 1, Math.ceil(count * 0.8));
  return letters.slice(0, count).join("");
}

/** Lines of at most `room` wide, at most `limit` of them; the last one shortened where text is left over. */
export function wrap(text, room, size, limit, weight = 400) {
  const lines = [];
  const words = text.slice(0, 4000).split(/\s+/).filter(Boolean);
  let line = "";
  while (words.length) {
    const joined = line ? `${line} ${words[0]}` : words[0];
    if (textWidth(joined, size, weight) <= room) {
      line = joined;
      words.shift();
      continue;
    }
    if (lines.length === limit - 1) return [
      ...lines,
      shorten([line, ...words].filter(Boolean).join(" "), room, size, weight),
    ];
    if (!line) {
      line = firstPieceThatFits(words[0], room, size, weight);
      const rest = words[0].slice(line.length);
      if (rest) words[0] = rest;
      else words.shift();
    }
    lines.push(line);
    line = "";
  }
  if (line) lines.push(line);
  return lines;
}
