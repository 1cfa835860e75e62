/* The rest of a large proposal: lists and events tell the beginning, a card asks for all of it once somebody sees it. */

import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { textButton } from "../widget/view/buttons.js";

export class Rest {
  /** `ask` fetches the whole, which reaches the card as a newer state; `changed` is called when `lines` did. */
  constructor(element, ask, changed) {
    Object.assign(this, { element, ask, changed });
    this.soughtFor = "";
    this.busy = false;
    this.problem = "";
  }

  /** Once for each `state` of the proposal. */
  whenSeen(state) {
    if (this.soughtFor === state) return;
    this.soughtFor = state;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      this.read();
    });
    seen.observe(this.element);
  }

  async read() {
    if (this.busy) return;
    this.busy = true;
    this.problem = "";
    this.changed();
    try {
      await this.ask();
    } catch (error) {
      this.problem = error.message;
    }
    this.busy = false;
    this.changed();
  }

  /** What stands in the card until the whole is there. */
  get lines() {
    if (this.problem) {
      const again = h("div", { class: "proposal-actions" }, textButton(t("Try again"), () => this.read()));
      return [h("p", { class: "proposal-problem", role: "alert", text: this.problem }), again];
    }
    return [h("p", { class: "proposal-busy", role: "status" }, h("span", { class: "spinner" }), t("Loading…"))];
  }
}
