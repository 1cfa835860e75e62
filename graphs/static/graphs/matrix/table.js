// The table below the drawing: its rows as a preview answers them.

import { html } from "../dom.js";
import { t } from "../strings.js";
import { language } from "../words.js";

/** An amount of points, with two digits at most behind the point. */
const amount = (value) => new Intl.NumberFormat(language(), { maximumFractionDigits: 2 }).format(value);

/** Whether rows say the same: those are left alone, with the focus that one may have. */
function same(some, others) {
  const text = (row) => row.textContent.replace(/\s+/g, "");
  return some.length === others.length && some.every((row, index) => text(row) === text(others[index]));
}

export class MatrixTable {
  constructor(view) {
    this.view = view;
    this.pages = view.dataset.pages;
    this.words = JSON.parse(document.getElementById("matrix-words")?.textContent ?? "{}");
  }

  take(useCases) {
    const shown = this.view.querySelector("[data-rows]");
    const rows = useCases.map((each) => this.#row(each));
    if (shown && !same([...shown.children], rows)) shown.replaceChildren(...rows);
  }

  #row({ id, name, status, value, complexity, quadrant }) {
    const address = this.pages.replace("00000000-0000-0000-0000-000000000000", encodeURIComponent(id));
    const told = this.words.statuses[status] ?? status;
    return html(
      "tr",
      { "data-key": id },
      html("th", { scope: "row" }, html("a", { href: address }, name)),
      html("td", {}, html("span", { class: `matrix-status status-${status}` }, told)),
      html("td", { class: "number", "data-label": t("value") }, amount(value)),
      html("td", { class: "number", "data-label": t("complexity") }, amount(complexity)),
      html("td", {}, this.words.quadrants[quadrant] ?? ""),
    );
  }
}
