/* The buttons that begin generations, and what a person may say besides: what to mind, and how many. */

import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";

const FEWEST = 3;
const MOST = 25;
const MOST_CHARS = 4000;

export class GenerationForm {
  /** `offers` are [{prompt, label, counts}]; `begin(prompt, wishes)` gives whether it has begun. */
  constructor(offers, begin) {
    this.begin = begin;
    this.buttons = offers.map((offer) => this.button(offer));
    this.instructions = h("textarea", { id: "generation-instructions", rows: 2, maxLength: MOST_CHARS });
    this.count = h("input", { id: "generation-count", type: "number", min: FEWEST, max: MOST, step: 1 });
    const fields = [
      h("label", { for: "generation-instructions", text: t("What to mind") }), this.instructions,
      ...(offers.some(({ counts }) => counts) ? [h("label", { for: "generation-count", text: t("How many (3 to 25)") }), this.count] : []),
    ];
    this.more = h("details", { class: "generation-wishes" }, h("summary", { text: t("Instructions…") }), h("div", {}, ...fields));
    this.element = h("form", { class: "generation-form", on: { submit: (event) => event.preventDefault() } }, ...this.buttons, this.more);
  }

  button({ prompt, label, counts }) {
    const click = async () => {
      if (button.getAttribute("aria-disabled") === "true" || (counts && !this.countIsRight())) return;
      button.setAttribute("aria-disabled", "true");
      const begun = await this.begin(prompt, this.wishes(counts));
      button.removeAttribute("aria-disabled");
      if (begun) this.instructions.value = "";
    };
    const button = h("button", { class: "button small", type: "button", text: label, data: { generate: prompt }, on: { click } });
    return button;
  }

  /** Says what is wrong with it where that can be seen. */
  countIsRight() {
    if (!this.count.checkValidity()) this.more.open = true;
    return this.count.reportValidity();
  }

  wishes(counts) {
    const instructions = this.instructions.value.trim();
    const count = counts && this.count.value ? Number(this.count.value) : null;
    return { ...(instructions && { instructions }), ...(count && { count }) };
  }
}
