// Who else is at the graph, and whether everything is saved.

import { html } from "../../dom.js";
import { t } from "../../strings.js";

const MOST_SHOWN = 4;
const HUES = 12;

export class LiveBar {
  #people = html("ul", { class: "live-people", "aria-label": t("Here now") });
  #state = html("span", { class: "live-state", role: "status" });
  #save;
  /** The people as they are shown: who points elsewhere is no other. */
  #shown = "[]";

  /** `save()` is asked for by the person. */
  constructor(save) {
    this.#save = html("button", { type: "button", class: "link live-save", hidden: true, onclick: save }, t("Save now"));
    this.element = html("div", { class: "live-bar", hidden: true }, this.#people, this.#state, this.#save);
  }

  /** `state`: "saved", "unsaved", "watching", "crowded" or "away"; "" while nobody knows. */
  showState(state) {
    this.element.hidden = !state;
    this.element.dataset.state = state;
    const text = sentence(state);
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#save.hidden = state !== "unsaved";
  }

  /** `people`: [{name, selected}], where `selected` are names of nodes. */
  showPeople(people) {
    const now = JSON.stringify(people);
    if (now === this.#shown) return;
    this.#shown = now;
    const shown = people.slice(0, MOST_SHOWN).map(badge);
    const more = people.length - shown.length;
    if (more > 0) shown.push(html("li", { class: "live-more" }, t("+{count}", { count: more })));
    this.#people.replaceChildren(...shown);
  }
}

/** A colour of one's own: the same person has the same on every page. */
export function hueOf(name) {
  const sum = [...name].reduce((all, letter) => (all * 31 + letter.codePointAt(0)) % 9973, 7);
  return (sum % HUES) * (360 / HUES);
}

function badge({ name, selected }) {
  const what = selected.length ? t("{name}: {nodes}", { name, nodes: selected.join(", ") }) : name;
  const element = html(
    "li",
    { class: "live-person", title: what },
    html("span", { "aria-hidden": "true" }, name.slice(0, 2)),
    html("span", { class: "visually-hidden" }, what),
  );
  element.style.setProperty("--hue", hueOf(name));
  return element;
}

function sentence(state) {
  if (state === "saved") return t("Saved");
  if (state === "unsaved") return t("Unsaved edits");
  if (state === "crowded") return t("Not live: you have too many tabs open. Close some.");
  if (state === "away") return t("Not live: each edit is saved by itself");
  return state === "watching" ? t("Live") : "";
}
