// Which change sets are listed: by person, origin, field, dates, and those of one conversation.

import { html, textButton } from "../dom.js";
import { t } from "../strings.js";
import { origins } from "./words.js";

const TYPING_MS = 300;

function labelled(text, control) {
  return html("label", { class: "history-filter" }, html("span", {}, text), control);
}

function select(name, options) {
  const all = html("option", { value: "" }, t("all"));
  return html("select", { name }, all, ...options.map(([value, words]) => html("option", { value }, words)));
}

export class Filters {
  #changed;
  #timer = 0;
  #session = "";
  #people = html("datalist", { id: "history-people" });
  #only = html("p", { class: "history-only", hidden: true });
  #clear;

  /** `fields` are {name: words} of what may change; `changed()` is called when other change sets are wanted. */
  constructor(fields, changed) {
    this.#changed = changed;
    this.#clear = textButton(t("Show all"), () => this.clear(), { hidden: true });
    this.element = html(
      "form",
      { class: "history-filters", role: "search", "aria-label": t("Filter the history") },
      labelled(t("Who"), html("input", { type: "text", name: "who", maxlength: "150", list: "history-people" })),
      this.#people,
      labelled(t("Through"), select("origin", origins())),
      labelled(t("Field"), select("field", Object.entries(fields))),
      labelled(t("From"), html("input", { type: "date", name: "from" })),
      labelled(t("To"), html("input", { type: "date", name: "to" })),
      this.#clear,
      this.#only,
    );
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.element.addEventListener("input", () => this.#later());
  }

  get values() {
    const [who, origin, field, from, to] = ["who", "origin", "field", "from", "to"].map(
      (name) => this.element.elements.namedItem(name).value.trim(),
    );
    return { who, origin, field, from: from && dayStart(from), to: to && dayAfter(to), session: this.#session };
  }

  get active() {
    return Object.values(this.values).some(Boolean);
  }

  /** Names to choose from, besides any other. */
  offer(names) {
    this.#people.replaceChildren(...names.map((name) => html("option", { value: name })));
  }

  /** Only what came of one conversation. */
  onlySession(id) {
    this.#session = id;
    this.#only.hidden = false;
    this.#only.textContent = t("Only what came of one conversation.");
    this.#later(0);
  }

  clear() {
    this.element.reset();
    this.#session = "";
    this.#only.hidden = true;
    this.#later(0);
  }

  #later(delay = TYPING_MS) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#clear.hidden = !this.active;
      this.#changed();
    }, delay);
  }
}

/** A day of the reader's calendar as moments: dates of a history are those of whoever reads it. */
function dayStart(day) {
  return new Date(`${day}T00:00`).toISOString();
}

function dayAfter(day) {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + 1);
  return start.toISOString();
}
