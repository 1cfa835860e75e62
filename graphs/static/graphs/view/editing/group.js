// Several nodes of a sheet that are selected together, and the bar that says so.

import { html, iconButton, textButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";

/** What the server changes at once. */
const MOST = 1000;

export class Group {
  #host;
  #keys = new Set();
  #words = html("span", { class: "group-words" });

  /** `host`: item(key) of the sheet that is shown, overlay, say(text), announce(text), changed(); `actions`: arrange(), remove(), leave(). */
  constructor(host, actions) {
    this.#host = host;
    this.element = html(
      "div",
      { class: "group-bar", role: "toolbar", "aria-label": t("Selected nodes"), hidden: true },
      this.#words,
      textButton(t("Arrange"), () => actions.arrange(), { class: "button quiet" }),
      textButton(t("Delete"), () => actions.remove(), { class: "button quiet" }),
      iconButton(ICONS.close, t("Select nothing (Esc)"), () => actions.leave()),
    );
  }

  get items() {
    return [...this.#keys].map((key) => this.#host.item(key)).filter(Boolean);
  }

  get empty() {
    return this.#keys.size === 0;
  }

  has(item) {
    return this.#keys.has(item.key);
  }

  toggle(item) {
    if (!this.#keys.delete(item.key)) this.#keys.add(item.key);
    this.#changed();
  }

  add(items) {
    for (const { key } of items) if (this.#keys.size < MOST) this.#keys.add(key);
    if (items.some((item) => !this.has(item))) this.#host.say(t("At most {count} nodes can be selected.", { count: MOST }));
    this.#changed();
  }

  clear() {
    if (this.empty) return;
    this.#keys.clear();
    this.#changed();
  }

  /** The sheet looks different, or is another one: what is not there is not chosen any more. */
  show() {
    const { items } = this;
    this.#keys = new Set(items.map(({ key }) => key));
    this.#host.overlay.choose(items);
    this.element.hidden = this.empty;
    this.#words.textContent = counted(items.length);
  }

  #changed() {
    this.show();
    this.#host.changed();
    this.#host.announce(counted(this.#keys.size));
  }
}

function counted(count) {
  return count === 1 ? t("1 node selected") : t("{count} nodes selected", { count });
}
