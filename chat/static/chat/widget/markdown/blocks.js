/* Splits markdown lines into blocks. Pure: lines in, plain objects out; texts stay raw in `source` until parsed inline.
 *
 * Blocks: paragraph|heading {source, level?}, code {language, value}, quote {children}, rule,
 * list {ordered, start, children: item {task, children}}, table {align, children: row {head, children: cell}}.
 * Every block of the top level carries `line`, where it starts. Indented code is not code: models indent prose.
 */

import { isTableStart, tableAt } from "./tables.js";

const MAX_DEPTH = 16;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^( {0,3})([-*+]|(\d{1,9})[.)])(?: {1,4}(?! )|[ \t]|$)/;
const UNDERLINE = /^ {0,3}(={3,}|-{3,})[ \t]*$/;
const TASK = /^\[([ xX])\][ \t]+/;

export function parseBlocks(lines, depth = 0) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const { block, end } = blockAt(lines, at, depth);
    blocks.push({ ...block, line: at });
    at = end;
  }
  return blocks;
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence);
  if (HEADING.test(line)) return { block: heading(line), end: at + 1 };
  if (RULE.test(line)) return { block: { type: "rule" }, end: at + 1 };
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < MAX_DEPTH && MARKER.test(line)) return list(lines, at, depth);
  if (isTableStart(lines, at)) return tableAt(lines, at, startsBlock);
  return paragraph(lines, at);
}

function fenced(lines, at, [opening, ticks, info]) {
  const indent = indentOf(opening);
  const closing = new RegExp(`^ {0,3}\\${ticks[0]}{${ticks.length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const value = lines.slice(at + 1, end).map((line) => outdented(line, indent)).join("\n");
  const language = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? "";
  return { block: { type: "code", language, value }, end: end + 1 };
}

function heading(line) {
  const level = HEADING.exec(line)[1].length;
  const text = line.trim().slice(level).trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const closed = end < text.length && (end === 0 || " \t".includes(text[end - 1]));
  const source = closed ? text.slice(0, end).trim() : text;
  return { type: "heading", level, source };
}

function quote(lines, at, depth) {
  const inner = new Container();
  let end = at;
  while (end < lines.length && (QUOTE.test(lines[end]) || continues(inner, lines[end]))) {
    inner.push(lines[end].replace(QUOTE, ""));
    end += 1;
  }
  return { block: { type: "quote", children: parseBlocks(inner.lines, depth + 1) }, end };
}

function list(lines, at, depth) {
  const first = markerOf(lines[at]);
  const items = [];
  let loose = false;
  let end = at;
  while (end < lines.length) {
    const marker = markerOf(lines[end]);
    if (!marker || marker.kind !== first.kind || RULE.test(lines[end])) break;
    const item = itemAt(lines, end, marker);
    const children = parseBlocks(item.lines, depth + 1);
    loose ||= hasGap(item.lines, children) || (items.length > 0 && isBlank(lines[end - 1]));
    items.push({ type: "item", task: item.task, children });
    end = item.end;
  }
  const ordered = first.number !== undefined;
  const start = ordered ? Number(first.number) : 1;
  return { block: { type: "list", ordered, start, loose, children: items }, end };
}

function markerOf(line) {
  const found = MARKER.exec(line);
  if (!found) return null;
  const [whole, indent, sign, number] = found;
  const empty = whole.length === line.trimEnd().length || isBlank(line.slice(whole.length));
  const width = empty ? indent.length + sign.length + 1 : whole.length;
  return { kind: sign.at(-1), number, indent: indent.length, width, empty };
}

/** The lines of one item without their indentation; blank lines after it are taken along but not given to it. */
function itemAt(lines, at, marker) {
  const first = lines[at].slice(marker.width);
  const task = TASK.exec(first);
  const inner = new Container();
  inner.push(task ? first.slice(task[0].length) : first);
  let end = at + 1;
  let content = end;
  while (end < lines.length) {
    if (isBlank(lines[end])) inner.push("");
    else if (belongs(lines[end], marker)) inner.push(outdented(lines[end], marker.width));
    else if (continues(inner, lines[end])) inner.push(lines[end]);
    else break;
    end += 1;
    if (!isBlank(lines[end - 1])) content = end;
  }
  return { lines: inner.lines.slice(0, content - at), end, task: task ? task[1] !== " " : null };
}

/** Indented under the item; models often indent nested lists by two where CommonMark wants three. */
function belongs(line, marker) {
  const indent = indentOf(line);
  if (indent >= marker.width) return true;
  return indent >= marker.indent + 2 && markerOf(line.trimStart()) !== null;
}

/** A blank line between two blocks of an item makes its list loose; one around a list inside it does not. */
function hasGap(lines, blocks) {
  return blocks.some(({ line, type }, index) => {
    const previous = blocks[index - 1];
    return previous && isBlank(lines[line - 1]) && type !== "list" && previous.type !== "list";
  });
}

/** True where an unindented line still belongs to the paragraph that the container ends with. */
function continues(container, line) {
  return !isBlank(line) && !startsBlock(line) && markerOf(line) === null && container.endsInText();
}

/** The lines of a quote or item as they are collected, with what is needed to continue a paragraph lazily. */
class Container {
  constructor() {
    this.lines = [];
    this.fence = null;
  }

  push(line) {
    this.lines.push(line);
    const ticks = /^(?:`{3,}|~{3,})/.exec(withoutMarkers(line))?.[0];
    if (this.fence === null) this.fence = ticks ?? null;
    else if (ticks?.startsWith(this.fence)) this.fence = null;
  }

  endsInText() {
    if (this.fence !== null) return false;
    const last = withoutMarkers(this.lines.at(-1) ?? "");
    return last !== "" && !HEADING.test(last) && !RULE.test(last) && !/^(?:`{3,}|~{3,})/.test(last);
  }
}

/** A line without the signs of the quotes and lists it is nested in. */
function withoutMarkers(line) {
  let rest = line.trim();
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const inner = rest.replace(/^(?:>|(?:[-*+]|\d{1,9}[.)])(?=\s|$))\s*/, "");
    if (inner === rest) break;
    rest = inner;
  }
  return rest;
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end])) {
    const underline = UNDERLINE.exec(lines[end]);
    if (underline) {
      const source = joined(lines, at, end);
      return { block: { type: "heading", level: underline[1][0] === "=" ? 1 : 2, source }, end: end + 1 };
    }
    if (startsBlock(lines[end]) || isTableStart(lines, end)) break;
    end += 1;
  }
  return { block: { type: "paragraph", source: joined(lines, at, end) }, end };
}

function joined(lines, from, to) {
  return lines.slice(from, to).map((line) => line.trimStart()).join("\n").trimEnd();
}

/** What may interrupt a paragraph: not an empty item, nor a numbered one that does not begin with 1. */
function startsBlock(line) {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const marker = markerOf(line);
  return marker !== null && !marker.empty && (marker.number === undefined || Number(marker.number) === 1);
}

function isBlank(line) {
  return line.trim() === "";
}

/** Columns of white space before the text; a tab counts four. */
function indentOf(line) {
  const space = /^[ \t]*/.exec(line)[0];
  return space.length + 3 * (space.split("\t").length - 1);
}

function outdented(line, width) {
  let columns = 0;
  let cut = 0;
  while (columns < width && (line[cut] === " " || line[cut] === "\t")) {
    columns += line[cut] === "\t" ? 4 : 1;
    cut += 1;
  }
  return " ".repeat(Math.max(0, columns - width)) + line.slice(cut);
}
