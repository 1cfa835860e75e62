// Code before and after, line by line: what stayed the same is folded away around what changed.

import { t } from "../strings.js";
import { html } from "../view/dom.js";

const AROUND = 3;
const LEAST_FOLDED = 4;
const MOST_LINES = 400;
const MEANING = { "+": () => t("added"), "-": () => t("removed") };

/** `lines` are `[{op: " " | "-" | "+", old?, new?, text}]` (`graphs.code_diff`), already made visible. */
export function codeLines(lines) {
  const table = html("div", { class: "diff-lines", role: "group", tabindex: "0", "aria-label": t("Changed lines") });
  const parts = folded(lines.slice(0, MOST_LINES));
  if (lines.length > MOST_LINES) parts.push({ hidden: lines.slice(MOST_LINES), more: true });
  table.append(...parts.flatMap((part) => (part.hidden ? [fold(part)] : part.shown.map(line))));
  return html("div", { class: "diff-code" }, table);
}

function fold({ hidden, more }) {
  const text = more
    ? t("Show {count} more lines", { count: hidden.length })
    : t("{count} unchanged lines", { count: hidden.length });
  const button = html("button", { type: "button", class: "diff-fold" }, text);
  button.addEventListener("click", () => button.replaceWith(...hidden.map(line)));
  return button;
}

function line({ op, old, new: now, text }) {
  const meaning = MEANING[op] ? html("span", { class: "diff-unseen" }, `${MEANING[op]()} `) : null;
  return html(
    "div",
    { class: "diff-line", "data-op": op },
    html("span", { class: "diff-number", "aria-hidden": "true" }, String((op === "-" ? old : now) ?? "")),
    html("span", { class: "diff-op", "aria-hidden": "true" }, op),
    meaning,
    html("code", {}, text || " "),
  );
}

/** Runs of lines that stayed the same, but for three at each change, become one part that can be opened. */
function folded(lines) {
  const near = new Set();
  lines.forEach(({ op }, at) => {
    if (op !== " ") for (let beside = at - AROUND; beside <= at + AROUND; beside += 1) near.add(beside);
  });
  const parts = [];
  lines.forEach((each, at) => {
    const kind = near.has(at) ? "shown" : "hidden";
    if (!parts.at(-1)?.[kind]) parts.push({ [kind]: [] });
    parts.at(-1)[kind].push(each);
  });
  return parts.map((part) => (part.hidden?.length < LEAST_FOLDED ? { shown: part.hidden } : part));
}
