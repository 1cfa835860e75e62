// The card of an edge that was clicked: its ends, its label, taking it away.

import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";

export class LineCard {
  #actions;
  #input = html("input", { type: "text", maxlength: "200", autocomplete: "off" });
  #ends = html("p", {});
  #line = null;

  /** `actions`: label(line, text), disconnect(line), closed(). */
  constructor(actions) {
    this.#actions = actions;
    const remove = iconButton(ICONS.bin, t("Remove this edge"), () => this.#finish(() => actions.disconnect(this.#line)));
    const close = iconButton(ICONS.close, t("Close"), () => this.close());
    const label = html("label", {}, html("span", {}, t("Label")), this.#input);
    this.element = html(
      "form",
      { class: "line-card", hidden: true, "aria-label": t("Edge") },
      html("div", { class: "line-head" }, this.#ends, remove, close),
      label,
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.close();
    });
    this.#input.addEventListener("change", () => this.#label());
    this.element.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.close();
    });
  }

  show(line, point, surface) {
    this.#line = line;
    this.#ends.textContent = `${line.source.name} → ${line.target.name}`;
    this.#input.value = line.label;
    this.element.hidden = false;
    const most = { x: surface.clientWidth - this.element.offsetWidth, y: surface.clientHeight - this.element.offsetHeight };
    const at = (value, limit) => Math.max(8, Math.min(value, limit - 8));
    this.element.style.transform = `translate(${at(point.x + 10, most.x)}px, ${at(point.y + 10, most.y)}px)`;
  }

  close() {
    if (this.#line) this.#finish(() => this.#label());
  }

  #label() {
    if (this.#line) this.#actions.label(this.#line, this.#input.value.trim());
  }

  #finish(last) {
    last();
    this.#line = null;
    this.element.hidden = true;
    this.#actions.closed();
  }
}
