/* Markdown that grows: keeps the blocks that can no longer change and parses only what comes after them. Pure. */

import { legible } from "../legible.js";
import { parseBlocks } from "./blocks.js";
import { parseInline } from "./inline.js";
import { dashesFor } from "./tables.js";

const HALF_MENTION = /\{(?:\{(?:[A-Za-z]\w{0,29}(?::(?:[^{}\n]{1,100}\}?)?)?)?)?$/;
const HALF_TARGET = /!?\[([^[\]\n]*)\]\([^()\s]*$/;
const HALF_LABEL = /!?\[([^[\]\n]*)$/;
const RUN = /\*{1,3}|~~|`+/g;

export class MarkdownDocument {
  constructor() {
    this.clear();
  }

  clear() {
    this.source = "";
    this.standing = [];
    this.from = 0;
    this.examined = 0;
  }

  /** Takes the whole text so far and gives its nodes; nodes that stand are the same objects as before.
   *
   * While `open` the text is still being written: a construct without its end at the very end is shown as it will
   * probably become, so that no asterisks and half addresses flash by.
   */
  update(text, { open = false } = {}) {
    const source = legible(text.replace(/\r\n?/g, "\n"));
    if (!source.startsWith(this.source.slice(0, this.from))) this.clear();
    this.source = source;
    this.settle();
    const rest = parseBlocks(source.slice(this.from).split("\n"));
    if (open && rest.length > 0) {
      rest.push(...withTable(rest.pop()));
      settleTail(rest.at(-1));
    }
    return [...this.standing, ...rest.map(withInline)];
  }

  /** A block stands once a complete line has begun the next one. */
  settle() {
    const complete = this.source.lastIndexOf("\n") + 1;
    if (complete <= this.examined) return;
    this.examined = complete;
    const lines = this.source.slice(this.from, complete).split("\n");
    const blocks = parseBlocks(lines);
    if (blocks.length < 2) return;
    this.standing.push(...blocks.slice(0, -1).map(withInline));
    const skipped = lines.slice(0, blocks.at(-1).line);
    this.from += skipped.reduce((length, line) => length + line.length + 1, 0);
  }
}

function withInline({ source, line, children, ...node }) {
  if (source !== undefined) return { ...node, children: parseInline(source) };
  if (!children) return node;
  const tight = node.type === "list" && !node.loose;
  return { ...node, children: children.map((child) => withInline(tight ? tightened(child) : child)) };
}

/** The paragraphs of a tight list are lines of their item. */
function tightened(item) {
  const children = item.children.map((child) => (child.type === "paragraph" ? { ...child, type: "line" } : child));
  return { ...item, children };
}

/** A paragraph that ends like the beginning of a table is shown as one: its row of dashes is on the way. */
function withTable(block) {
  if (block.type !== "paragraph") return [block];
  const lines = block.source.split("\n");
  const header = /^[\s|:-]+$/.test(lines.at(-1)) && lines.length > 1 ? lines.length - 2 : lines.length - 1;
  const dashes = lines[header].startsWith("|") ? dashesFor(lines[header]) : "";
  return dashes ? parseBlocks([...lines.slice(0, header), "", lines[header], dashes]) : [block];
}

function settleTail(block) {
  if (block.children?.length) settleTail(block.children.at(-1));
  else if (block.source !== undefined) block.source = settled(block.source);
}

/** `source` as it should be shown while more of it is on the way. */
function settled(source) {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start).replace(HALF_MENTION, "").replace(HALF_TARGET, "$1").replace(HALF_LABEL, "$1");
  const bare = line.replace(/(?:^|(?<=\s|[("“]))[*~_`]+$/, "");
  return source.slice(0, start) + bare + missingEnds(source.slice(0, start) + bare);
}

/** The closing signs of emphasis and code that were opened and not closed yet, innermost first. */
function missingEnds(text) {
  const open = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const at = open.lastIndexOf(run);
    const code = open.at(-1)?.startsWith("`");
    if (code && open.at(-1) !== run) continue;
    if (at >= 0) open.length = at;
    else if (!/\s/.test(text[index + run.length] ?? " ") && text[index - 1] !== "\\") open.push(run);
  }
  return open.reverse().join("");
}
