// Who else is on the page, and in which field they write.

import { Connection } from "../connection.js";
import { html } from "../dom.js";
import { t } from "../strings.js";
import { hueOf } from "../view/live/bar.js";

const MOST_SHOWN = 4;
const MOST_SELECTED = 50;

export class Presence {
  #page;
  #api;
  #gone;
  #socket;
  #you = "";
  #opened = false;
  #fields = new Set();

  /** `gone()` is called when the object is not there any more, or not for this person. */
  constructor(page, api, gone) {
    this.#page = page;
    this.#api = api;
    this.#gone = gone;
    this.#socket = new Connection(page.dataset.room);
    this.#socket.addEventListener("frame", ({ detail }) => this.#heard(detail));
    this.#socket.addEventListener("state", () => this.#turned());
  }

  start(signal) {
    this.#socket.start(signal);
  }

  /** The person writes in a field, or does no more. */
  editing(path, on) {
    if (on) this.#fields.add(path);
    else this.#fields.delete(path);
    this.#tell();
  }

  #tell() {
    if (!this.#opened) return;
    this.#socket.send({ type: "object:presence", selection: [...this.#fields].slice(0, MOST_SELECTED) });
  }

  #heard(frame) {
    if (frame.type === "object:opened") {
      this.#you = frame.you;
      this.#opened = true;
      this.#socket.failures = 0;
      this.#tell();
    } else if (frame.type === "object:presence") this.#show(frame.people.filter(({ id }) => id !== this.#you));
    else if (frame.type === "object:changed") this.#changed(frame.version);
  }

  /** The page shows it, if it does not show it yet. */
  #changed(version) {
    const shown = Number(this.#page.querySelector("[data-version]")?.dataset.version);
    if (version > shown) this.#api.tell({ id: null, objects: [{ ...this.#api.ref, version }] });
  }

  #turned() {
    if (this.#socket.state === "open") return;
    this.#opened = false;
    this.#show([]);
    if (this.#socket.state === "ended") this.#gone();
  }

  #show(people) {
    const names = namesOf(people);
    const badges = names.slice(0, MOST_SHOWN).map((name) => badge(name, name));
    if (names.length > MOST_SHOWN) badges.push(html("span", {}, t("+{count}", { count: names.length - MOST_SHOWN })));
    const here = people.length ? [html("span", { class: "visually-hidden" }, t("Here now"))] : [];
    this.#page.querySelector("[data-people]")?.replaceChildren(...here, ...badges);
    for (const section of this.#page.querySelectorAll("[data-path]")) {
      const inside = namesOf(people.filter(({ selection }) => selection.includes(section.dataset.path)));
      const marks = inside.map((name) => badge(name, t("{name} writes here", { name }), name));
      section.querySelector("[data-field-people]")?.replaceChildren(...marks);
      section.classList.toggle("others-in", inside.length > 0);
    }
  }
}

/** Each name once: who has several windows is one person. */
function namesOf(people) {
  return [...new Set(people.map(({ name }) => name))];
}

/** `text` is what stands there; without it the first letters of the name. */
function badge(name, words, text = "") {
  const element = html(
    "span",
    { class: "person-mark", title: words },
    html("span", { "aria-hidden": "true" }, text || name.slice(0, 2)),
    html("span", { class: "visually-hidden" }, words),
  );
  element.style.setProperty("--hue", hueOf(name));
  return element;
}
