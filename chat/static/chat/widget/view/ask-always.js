/* The conversation's own level of the policy: ask before every change, also where others would let it through. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";

export class AskAlways {
  /** `change` takes the new value and gives true when it was taken. */
  constructor(change) {
    this.box = h("input", { type: "checkbox", id: "ask-always", role: "switch", on: { change: () => this.turned() } });
    this.change = change;
    const label = h("label", { htmlFor: "ask-always", text: t("Ask before every change") });
    const note = h("small", { id: "ask-always-note" });
    note.textContent = t("In this conversation, also where an administrator allows changes without asking.");
    this.box.setAttribute("aria-describedby", note.id);
    this.element = h("div", { class: "ask-always", hidden: true }, this.box, label, note);
  }

  /** `session` is null before a conversation has begun. */
  update(session) {
    this.element.hidden = session?.requireValidation === undefined;
    this.box.checked = Boolean(session?.requireValidation);
  }

  async turned() {
    const wanted = this.box.checked;
    if (!(await this.change(wanted)) && this.box.checked === wanted) this.box.checked = !wanted;
  }
}
