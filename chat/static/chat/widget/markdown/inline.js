/* Parses the text of one paragraph, heading or cell into inline nodes. Pure: strings in, plain objects out.
 *
 * Nodes: text {value}, code {value}, br, em|strong|del {children}, link {href, host, showHost, children}, node {key},
 * mention {name}.
 * Raw HTML is text; images become links; addresses that may not be linked stay as they were written.
 */

import { abilities, pairEmphasis } from "./emphasis.js";
import { safeAddress, textShowsHost, trimBareAddress } from "./links.js";
import { Pieces } from "./pieces.js";

const PLAIN = /[^\\`*_~[\]!<{&\nhH]+/y;
const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/y;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const MENTION = /\{\{([A-Za-z]\w{0,29}):([^{}\n]{1,100})\}\}/y;
const BARE = /https?:\/\/[^\s<>[\]`{}|]+/iy;
const ANGLE = /<((?:https?:\/\/|mailto:)[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>/iy;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const TITLE = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y;

export function parseInline(source) {
  return new InlineParser(source.replaceAll("\u0000", "\ufffd")).parse();
}

class InlineParser {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.pieces = new Pieces();
    this.delimiters = [];
    this.brackets = [];
    this.missingTicks = new Set();
  }

  parse() {
    while (this.at < this.source.length) this.step();
    pairEmphasis(this.pieces, this.delimiters, 0);
    return this.pieces.toNodes();
  }

  step() {
    const plain = this.match(PLAIN);
    if (plain) return this.text(plain[0]);
    const character = this.source[this.at];
    switch (character) {
      case "\\": return this.escape();
      case "`": return this.code();
      case "*": case "_": case "~": return this.run(character);
      case "[": return this.open(1, false);
      case "!": return this.source[this.at + 1] === "[" ? this.open(2, true) : this.literal();
      case "]": return this.close();
      case "<": return this.angle();
      case "{": return this.mention();
      case "&": return this.entity();
      case "\n": return this.newline();
      default: return this.bareAddress();
    }
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  text(value) {
    return this.pieces.add({ type: "text", value });
  }

  literal(length = 1) {
    this.text(this.source.slice(this.at, this.at + length));
    this.at += length;
  }

  escape() {
    const next = this.source[this.at + 1];
    if (next === "\n") {
      this.pieces.add({ type: "br" });
      this.at += 2;
    } else if (next && ESCAPABLE.test(next)) {
      this.text(next);
      this.at += 2;
    } else this.literal();
  }

  code() {
    let width = 1;
    while (this.source[this.at + width] === "`") width += 1;
    const end = this.missingTicks.has(width) ? -1 : this.closingTicks(this.at + width, width);
    if (end < 0) {
      this.missingTicks.add(width);
      return this.literal(width);
    }
    let value = this.source.slice(this.at + width, end).replaceAll("\n", " ");
    if (value.startsWith(" ") && value.endsWith(" ") && value.trim()) value = value.slice(1, -1);
    this.pieces.add({ type: "code", value });
    this.at = end + width;
    return undefined;
  }

  closingTicks(from, width) {
    for (let at = this.source.indexOf("`", from); at >= 0; at = this.source.indexOf("`", at)) {
      let length = 1;
      while (this.source[at + length] === "`") length += 1;
      if (length === width) return at;
      at += length;
    }
    return -1;
  }

  run(character) {
    let width = 1;
    while (this.source[this.at + width] === character) width += 1;
    if (character === "~" && width !== 2) return this.literal(width);
    const after = characterAfter(this.source, this.at + width);
    const can = abilities(character, characterBefore(this.source, this.at), after);
    this.literal(width);
    if (can.opens || can.closes) {
      this.delimiters.push({ character, count: width, original: width, piece: this.pieces.last, ...can });
    }
    return undefined;
  }

  open(width, image) {
    this.literal(width);
    const { last: piece } = this.pieces;
    this.brackets.push({ piece, delimiters: this.delimiters.length, image, start: this.at, dead: false });
  }

  close() {
    const bracket = this.brackets.pop();
    if (!bracket || bracket.dead) return this.literal();
    const label = this.source.slice(bracket.start, this.at);
    const target = this.target(this.at + 1);
    const address = target && safeAddress(target.address);
    if (!address) return this.literal();
    pairEmphasis(this.pieces, this.delimiters, bracket.delimiters);
    this.at = target.end;
    if (bracket.image && this.insideLinkText()) return void (bracket.piece.value = "");
    const link = { type: "link", ...address, showHost: !textShowsHost(label, address.host), first: null };
    this.pieces.wrapRest(bracket.piece, link);
    if (!link.first) link.first = { type: "text", value: address.host, after: null };
    for (const outer of this.brackets) outer.dead = true;
    return undefined;
  }

  /** `(address "title")` at `from`: {address, end}, or null. */
  target(from) {
    if (this.source[from] !== "(") return null;
    const at = this.afterSpace(from + 1);
    const angled = this.source[at] === "<";
    const end = angled ? this.source.indexOf(">", at) : this.addressEnd(at);
    if (end < 0) return null;
    const address = this.source.slice(angled ? at + 1 : at, end);
    const bracket = this.afterTitle(angled ? end + 1 : end);
    return this.source[bracket] === ")" ? { address: unescaped(address), end: bracket + 1 } : null;
  }

  afterTitle(from) {
    const start = this.afterSpace(from);
    TITLE.lastIndex = start;
    return start > from && TITLE.test(this.source) ? this.afterSpace(TITLE.lastIndex) : start;
  }

  afterSpace(from) {
    let at = from;
    while (at < this.source.length && " \t\n".includes(this.source[at])) at += 1;
    return at;
  }

  addressEnd(from) {
    let depth = 0;
    for (let at = from; at < this.source.length; at += 1) {
      const character = this.source[at];
      if (character === "\\") at += 1;
      else if (character <= " " || (character === ")" && depth === 0)) return at;
      else if (character === "(") depth += 1;
      else if (character === ")") depth -= 1;
      if (depth > 32) return -1;
    }
    return -1;
  }

  angle() {
    const found = this.match(ANGLE);
    if (!found) return this.literal();
    return this.address(found[1], found[1].includes(":") ? found[1] : `mailto:${found[1]}`, found[0]);
  }

  bareAddress() {
    const start = this.at;
    const found = /\w/.test(this.source[start - 1] || " ") ? null : this.match(BARE);
    if (!found) return this.literal();
    const address = trimBareAddress(found[0]);
    this.at = start + address.length;
    return this.address(address, address, address);
  }

  address(shown, raw, written) {
    const address = this.insideLinkText() ? null : safeAddress(raw);
    if (!address) return this.text(written);
    const first = { type: "text", value: shown, after: null };
    return this.pieces.add({ type: "link", ...address, showHost: !textShowsHost(shown, address.host), first });
  }

  insideLinkText() {
    return this.brackets.some((bracket) => !bracket.dead);
  }

  /** A node is one of the graph at hand; whether there is another object, the server says. */
  mention() {
    const found = this.match(MENTION);
    if (!found) return this.literal();
    const [written, type, key] = found;
    if (!key.trim() || (type !== "node" && this.insideLinkText())) return this.text(written);
    return this.pieces.add(type === "node" ? { type, key: key.trim() } : { type: "mention", name: `${type}:${key}` });
  }

  entity() {
    const found = this.match(ENTITY);
    return found ? this.text(decoded(found)) : this.literal();
  }

  newline() {
    const { last } = this.pieces;
    const hard = last.type === "text" && last.value.endsWith("  ");
    if (last.type === "text") last.value = last.value.replace(/[ \t]+$/, "");
    this.at += 1;
    while (this.source[this.at] === " ") this.at += 1;
    if (hard) this.pieces.add({ type: "br" });
    else this.text("\n");
  }
}

function characterBefore(source, at) {
  if (at === 0) return "";
  const low = source.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? source.slice(at - 2, at) : source[at - 1];
}

function characterAfter(source, at) {
  return at < source.length ? String.fromCodePoint(source.codePointAt(at)) : "";
}

function decoded([, name, decimal, hexadecimal]) {
  if (name) return NAMED[name];
  const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal, 16);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code === 0 || code > 0x10ffff || surrogate ? "\ufffd" : String.fromCodePoint(code);
}

function unescaped(address) {
  const entities = new RegExp(ENTITY.source, "g");
  return address.replace(/\\([!-/:-@[-`{-~])/g, "$1").replace(entities, (...groups) => decoded(groups));
}
