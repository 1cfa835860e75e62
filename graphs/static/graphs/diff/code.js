// Code before and after, line by line; a line of its own says how many unchanged ones are left out.

import { t } from "../strings.js";
import { html } from "../view/dom.js";

const MOST_LINES = 400;
const MEANING = { "+": () => t("added"), "-": () => t("removed") };

/** `lines` are `[{op: " " | "-" | "+", old?, new?, text}]` (`graphs.code_diff`), already made visible. */
export function codeLines(lines) {
  const box = html("div", { class: "diff-lines", role: "group", tabindex: "0", "aria-label": t("Changed lines") });
  const rows = withGaps(lines);
  box.append(...rows.slice(0, MOST_LINES));
  if (rows.length > MOST_LINES) box.append(more(rows.slice(MOST_LINES)));
  return html("div", { class: "diff-code" }, box);
}

function withGaps(lines) {
  let old = 0;
  let now = 0;
  return lines.flatMap((line) => {
    const missing = Math.max((line.old ?? 0) - old, (line.new ?? 0) - now) - 1;
    old = line.old ?? old + Math.max(0, missing);
    now = line.new ?? now + Math.max(0, missing);
    return missing > 0 ? [gap(missing), row(line)] : [row(line)];
  });
}

function gap(count) {
  const text = count === 1 ? t("1 unchanged line") : t("{count} unchanged lines", { count });
  return html("div", { class: "diff-gap" }, text);
}

function row({ op, old, new: now, text }) {
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

function more(rows) {
  const text = t("Show {count} more lines", { count: rows.length });
  const button = html("button", { type: "button", class: "diff-more" }, text);
  button.addEventListener("click", () => button.replaceWith(...rows));
  return button;
}
