// A button that says while something is done that it is, to screen readers as well. The keyboard stays on it.

import { html } from "./dom.js";

export class BusyButton {
  #button;
  #said = html("span", { class: "visually-hidden", role: "status" });
  #words;

  /** `idle` is what it says, `busy` what it says while it is. */
  constructor(attributes, idle, busy) {
    this.#words = [idle, busy];
    this.#button = html("button", attributes, idle);
  }

  get elements() {
    return [this.#button, this.#said];
  }

  get busy() {
    return this.#button.getAttribute("aria-disabled") === "true";
  }

  /** Not `disabled`: that would take the focus away. Whoever is told of a click looks whether it is busy. */
  set busy(is) {
    this.#button.setAttribute("aria-disabled", String(is));
    this.#button.textContent = this.#words[Number(is)];
    this.#said.textContent = is ? this.#words[1] : "";
  }
}
