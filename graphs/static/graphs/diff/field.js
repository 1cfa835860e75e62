// One field before and after: text as struck and new, code by lines, JSON by what changed in it.

import { html } from "../dom.js";
import { isObject } from "../merge-patch.js";
import { t } from "../strings.js";
import { codeLines } from "./code.js";
import { startOf } from "./first-difference.js";
import { changesAt, pathOf } from "./json-changes.js";
import { called, pathText, valueText } from "./value-text.js";
import { visible } from "./visible.js";

const LONGEST = 400;
const MOST_PATHS = 60;
/** So many more each time, that a browser can draw at once. */
const STEP = 1_000;

/** `field` is `{field, label, form, old, new, oldTitle?, newTitle?, titles?, names?, lines?}`; of one that is `cut`, the first of it. */
export function fieldChange(field) {
  const body = field.cut ? cutBody : BODIES[field.form] ?? textBody;
  const name = html("dt", {}, field.label);
  return html("div", { class: "diff-field", "data-form": field.form }, name, html("dd", {}, body(field)));
}

const BODIES = { code: codeBody, json: jsonBody };

/** Two numbers that belong together: where a node was and where it goes. */
export function placeChange(x, y) {
  const at = (side) => (isNothing(x[side]) ? null : `${x[side]}, ${y[side]}`);
  return fieldChange({ field: "position", label: t("position"), form: "text", old: at("old"), new: at("new") });
}

function textBody({ old, new: now, oldTitle, newTitle }) {
  return sides(isNothing(old) ? null : called(oldTitle, asText(old)), isNothing(now) ? null : called(newTitle, asText(now)));
}

function codeBody({ old, new: now, lines }) {
  return codeLines(lines ?? [...linesOf(old, "-"), ...linesOf(now, "+")]);
}

function cutBody(field) {
  const shown = field.lines ? codeLines(field.lines) : textBody(field);
  shown.append(html("span", { class: "diff-rest" }, "…"));
  return shown;
}

function linesOf(code, op) {
  if (!code) return [];
  return visible(code).split("\n").map((text, at) => ({ op, old: at + 1, new: at + 1, text }));
}

function jsonBody({ old, new: now, ...words }) {
  const changes = changesAt(old ?? undefined, now ?? undefined);
  const list = html("ul", { class: "diff-paths" });
  const show = (from, to) => {
    list.append(...changes.slice(from, to).map((change) => pathChange(change, words)));
    if (to < changes.length) list.append(more(changes.length - to, () => show(to, to + STEP)));
  };
  show(0, MOST_PATHS);
  return list;
}

function more(count, show) {
  const button = html("button", { type: "button", class: "diff-more" }, t("Show {count} more", { count }));
  button.addEventListener("click", () => {
    button.parentNode.remove();
    show();
  });
  return html("li", {}, button);
}

/** Where something changed: by its titles and names where the server says them, else as JSON has it. */
function pathChange({ steps, old, new: now }, words) {
  const isNamed = words.titles || words.names;
  const shown = isNamed ? html("span", { dir: "auto" }, visible(pathText(steps, words))) : html("code", {}, visible(pathOf(steps)));
  shown.className = "diff-path";
  const [was, is] = [old, now].map((value) => (isNamed && isObject(value) ? valueText(value, words) : asJson(value)));
  return html("li", {}, steps.length ? shown : null, sides(was, is));
}

/** Both sides in a row; a side that is null was or is nothing. */
function sides(old, now) {
  const from = old === null || now === null ? 0 : startOf(visible(old), visible(now), LONGEST);
  const before = old === null ? null : html("del", {}, unseen(t("before:")), clipped(old, from));
  const after = now === null ? null : html("ins", {}, unseen(t("after:")), clipped(now, from));
  const arrow = before && after && html("span", { class: "diff-arrow", "aria-hidden": "true" }, "→");
  return html("span", { class: "diff-sides" }, before, arrow, after);
}

function unseen(text) {
  return html("span", { class: "diff-unseen" }, `${text} `);
}

/** The beginning, or what follows `from`; all of it is a press of a button away. */
function clipped(text, from) {
  const shown = visible(text) || t("empty");
  const span = html("span", { class: text ? null : "diff-empty", dir: "auto" });
  if (shown.length <= LONGEST) {
    span.append(shown);
    return span;
  }
  const button = html("button", { type: "button", class: "diff-more" }, t("Show all"));
  button.addEventListener("click", () => span.replaceChildren(shown));
  const rest = shown.length > from + LONGEST ? "… " : " ";
  span.append(from ? "…" : "", `${shown.slice(from, from + LONGEST)}${rest}`, button);
  return span;
}

function asJson(value) {
  return value === undefined ? null : JSON.stringify(value);
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isNothing(value) {
  return value === null || value === undefined;
}
