// The find box: matches in names and keys, a short list to choose from, and all of them ringed in the drawing.

import { html, icon } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { nodeBadge } from "../canvas/node-badge.js";
import { rowWords } from "../rows.js";

const LISTED = 50;

/** Items whose name, key or type holds every word of `query`; names that begin with it come first. */
export function findItems(items, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const item of items) {
    const name = item.name.toLowerCase();
    const text = `${name}\n${item.key.toLowerCase()}\n${item.style.title.toLowerCase()}`;
    if (!words.every((word) => text.includes(word))) continue;
    const rank = name.startsWith(words[0]) ? 0 : name.includes(words[0]) ? 1 : 2;
    found.push({ item, rank });
  }
  return found.sort((a, b) => a.rank - b.rank || a.item.index - b.item.index).map(({ item }) => item);
}

export class Find {
  #callbacks;
  #items = [];
  #sheetName = () => "";
  #matches = [];
  #active = -1;

  /** `callbacks`: matched(items), chosen(item), left(). */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.input = html("input", {
      type: "search", placeholder: t(
        "Find a node",
      ), "aria-label": t("Find a node"), role: "combobox", autocomplete: "off", spellcheck: "false",
      "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list",
    });
    this.count = html("span", { class: "found-count" });
    this.list = html(
      "ul",
      { class: "found", id: "found", role: "listbox", "aria-label": t("Found nodes"), hidden: true },
    );
    this.element = html(
      "div",
      { class: "find" },
      icon(ICONS.search, 16),
      this.input,
      this.count,
      html("kbd", { "aria-hidden": "true" }, "/"),
      this.list,
    );
    this.input.addEventListener("input", () => this.#search());
    this.input.addEventListener("keydown", (event) => this.#keydown(event));
    this.input.addEventListener("focus", () => this.#open(this.#matches.length > 0));
    this.element.addEventListener(
      "focusout",
      (event) => this.element.contains(event.relatedTarget) || this.#open(false),
    );
  }

  /** What can be found; `sheetName(item)` is shown beside it where there are several sheets. */
  setItems(items, sheetName) {
    this.#items = items;
    this.#sheetName = sheetName;
    if (this.input.value) this.#search();
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  clear() {
    this.input.value = "";
    this.#search();
  }

  #search() {
    this.#matches = findItems(this.#items, this.input.value);
    this.#active = this.#matches.length ? 0 : -1;
    const searching = this.input.value.trim() !== "";
    this.element.classList.toggle("searching", searching);
    this.count.textContent = searching ? String(this.#matches.length) : "";
    this.list.replaceChildren(...this.#matches.slice(0, LISTED).map((item, index) => this.#option(item, index)));
    if (searching && !this.#matches.length) this.list.append(html("li", { class: "nothing" }, t("Nothing found")));
    this.#open(searching && this.element.contains(this.element.getRootNode().activeElement));
    this.#mark();
    this.#callbacks.matched(this.#matches);
  }

  #option(item, index) {
    const sheet = this.#sheetName(item);
    const option = html(
      "li",
      { id: `found-${index}`, role: "option", onclick: () => this.#choose(index) },
      nodeBadge(item, 26),
      rowWords(item.name, sheet ? `${item.style.title} · ${sheet}` : item.style.title),
    );
    option.addEventListener("pointerdown", (event) => event.preventDefault());
    return option;
  }

  #mark() {
    this.list.querySelectorAll("[role=option]").forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.#active));
      if (index === this.#active && !this.list.hidden) option.scrollIntoView({ block: "nearest" });
    });
    if (this.#active >= 0) this.input.setAttribute("aria-activedescendant", `found-${this.#active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #open(open) {
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
  }

  #choose(index) {
    this.#active = index;
    this.#mark();
    this.#open(false);
    this.#callbacks.chosen(this.#matches[index]);
  }

  #keydown(event) {
    const shown = Math.min(this.#matches.length, LISTED);
    if (event.key === "Escape") {
      this.clear();
      this.#callbacks.left();
    } else if (event.key === "Enter" && this.#active >= 0) {
      const again = this.list.hidden && shown > 1;
      this.#choose(again ? (this.#active + (event.shiftKey ? shown - 1 : 1)) % shown : this.#active);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && shown) {
      this.#open(true);
      this.#active = (this.#active + (event.key === "ArrowDown" ? 1 : shown - 1)) % shown;
      this.#mark();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
