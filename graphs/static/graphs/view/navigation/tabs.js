// The sheets of a graph as tabs: arrow keys, Home and End move between them.

import { html } from "../../dom.js";
import { numberText } from "../../words.js";

export class Tabs {
  #chosen;
  #tabs = [];

  /** `chosen(key)` is called when the reader picks a sheet. */
  constructor(label, chosen) {
    this.#chosen = chosen;
    this.element = html("div", { class: "tabs", role: "tablist", "aria-label": label });
    this.element.addEventListener("keydown", (event) => this.#keydown(event));
  }

  /** `sheets`: [{key, name, count}], shown in `panel`. One sheet alone needs no tabs. */
  show(sheets, current, panel) {
    this.#tabs = sheets.map(({ key, name, count }) => {
      const attributes = {
        type: "button", role: "tab", "data-sheet": key, "aria-controls": panel.id, onclick: () => this.#chosen(key),
      };
      return html(
        "button",
        attributes,
        html("span", { class: "tab-name" }, name),
        html("span", { class: "count" }, numberText(count)),
      );
    });
    this.element.replaceChildren(...this.#tabs);
    this.element.hidden = sheets.length < 2;
    if (this.element.hidden) panel.removeAttribute("role");
    else panel.setAttribute("role", "tabpanel");
    this.select(current);
  }

  select(key) {
    for (const tab of this.#tabs) {
      const selected = tab.dataset.sheet === key;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      if (selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  #keydown(event) {
    const index = this.#tabs.indexOf(event.target.closest("[role=tab]"));
    const last = this.#tabs.length - 1;
    const next = {
      ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last,
    }[event.key];
    if (next === undefined || index < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.#tabs[next].focus();
    this.#chosen(this.#tabs[next].dataset.sheet);
  }
}
