// JSON as a tree that opens branch by branch; branches are built when they are opened.

import { html } from "../dom.js";
import { t } from "../strings.js";

const AT_ONCE = 100;
const LONG_TEXT = 400;

function isBranch(value) {
  return value !== null && typeof value === "object" && Object.keys(value).length > 0;
}

function longText(text) {
  const shown = html("span", { class: "code-string" }, `${text.slice(0, LONG_TEXT)}…`);
  const more = html("button", { type: "button", class: "link" }, t("Show all"));
  more.addEventListener("click", () => {
    shown.textContent = text;
    more.remove();
  });
  return html("span", {}, shown, " ", more);
}

function leaf(value) {
  if (typeof value === "string") return value.length > LONG_TEXT ? longText(value) : html(
    "span",
    { class: "code-string" },
    value === "" ? '""' : value,
  );
  if (typeof value === "number") return html("span", { class: "code-number" }, String(value));
  if (value === null || typeof value === "boolean") return html("span", { class: "code-constant" }, String(value));
  return html("span", { class: "muted" }, Array.isArray(value) ? "[]" : "{}");
}

function summary(value) {
  const count = Object.keys(value).length;
  if (Array.isArray(value)) return count === 1 ? t("1 entry") : t("{count} entries", { count });
  return count === 1 ? t("1 field") : t("{count} fields", { count });
}

function branch(name, value, open) {
  const inner = html("div", { class: "inner" });
  const details = html(
    "details",
    { open },
    html(
      "summary",
      {},
      html("span", { class: "code-property" }, name),
      html("span", { class: "muted" }, summary(value)),
    ),
    inner,
  );
  const fill = () => inner.childNodes.length || appendEntries(inner, value, 0, false);
  if (open) fill();
  details.addEventListener("toggle", fill);
  return details;
}

function entry(name, value, open) {
  if (isBranch(value)) return branch(name, value, open);
  return html("div", { class: "leaf" }, html("span", { class: "code-property" }, name), leaf(value));
}

function appendEntries(parent, value, from, open) {
  const entries = Object.entries(value);
  parent.append(...entries.slice(from, from + AT_ONCE).map(([name, child]) => entry(name, child, open)));
  const left = entries.length - from - AT_ONCE;
  if (left <= 0) return;
  const more = html("button", { type: "button", class: "link" }, t("Show {count} more", { count: left }));
  more.addEventListener("click", () => {
    more.remove();
    appendEntries(parent, value, from + AT_ONCE, false);
  });
  parent.append(more);
}

/** The element for any JSON value; small first branches stand open. */
export function jsonTree(value) {
  const tree = html("div", { class: "json-tree" });
  if (isBranch(value)) appendEntries(tree, value, 0, JSON.stringify(value).length < 1200);
  else tree.append(leaf(value));
  return tree;
}
