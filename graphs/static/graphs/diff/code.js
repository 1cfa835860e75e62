// Code before and after, line by line; a line of its own says how many unchanged ones are left out.

import { html } from "../dom.js";
import { t } from "../strings.js";

const MOST_LINES = 400;
/** So many more each time, that a browser can draw at once. */
const STEP = 2_000;
const MEANING = { "+": () => t("added"), "-": () => t("removed") };

/** `lines` are `[{op: " " | "-" | "+", old?, new?, text}]` (`graphs.history.code_diff`), already made visible. */
export function codeLines(lines) {
  const box = html("div", { class: "diff-lines", role: "group", tabindex: "0", "aria-label": t("Changed lines") });
  const numbers = { old: 0, now: 0 };
  const show = (from, to) => {
    for (const line of lines.slice(from, to)) box.append(...withGap(line, numbers));
    if (to < lines.length) box.append(more(lines.length - to, () => show(to, to + STEP)));
  };
  show(0, MOST_LINES);
  return html("div", { class: "diff-code" }, box);
}

/** `numbers` are those of the line before, and of this one afterwards. */
function withGap(line, numbers) {
  const missing = Math.max((line.old ?? 0) - numbers.old, (line.new ?? 0) - numbers.now) - 1;
  numbers.old = line.old ?? numbers.old + Math.max(0, missing);
  numbers.now = line.new ?? numbers.now + Math.max(0, missing);
  return missing > 0 ? [gap(missing), row(line)] : [row(line)];
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

/** What had the focus was the button: it goes to the lines. */
function more(count, show) {
  const text = t("Show {count} more lines", { count });
  const button = html("button", { type: "button", class: "diff-more" }, text);
  button.addEventListener("click", () => {
    const box = button.parentNode;
    button.remove();
    box.focus({ preventScroll: true });
    show();
  });
  return button;
}
