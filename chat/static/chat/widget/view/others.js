/* What waits about the page's object from other conversations and generations: a line that opens to the cards. */

import { t } from "../../../graphs/strings.js";
import { ProposalGroup } from "../../proposals/group.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";

export class OtherProposals {
  /** `context` is what cards need (approvals.js). */
  constructor(context) {
    this.group = new ProposalGroup(context);
    this.text = h("span");
    const summary = h("summary", {}, icon("question"), this.text, icon("chevron"));
    this.element = h("details", { class: "others", hidden: true }, summary, this.group.element);
    this.shown = null;
  }

  /** `pending` is all that waits; what belongs to the open conversation stands there. */
  update(pending, sessionId) {
    if (this.shown?.pending === pending && this.shown.sessionId === sessionId) return;
    this.shown = { pending, sessionId };
    const others = pending.filter((proposal) => proposal.sessionId !== sessionId);
    this.element.hidden = others.length === 0;
    this.text.textContent = words(others);
    this.group.update(others);
  }
}

function words(others) {
  const count = others.length;
  const generated = others.filter((proposal) => proposal.generated).length;
  if (generated === 0) return count === 1
    ? t("1 change of another conversation waits")
    : t("{count} changes of other conversations wait", { count });
  if (generated < count) return t("{count} changes of other conversations or generations wait", { count });
  return count === 1 ? t("1 change of a generation waits") : t("{count} changes of generations wait", { count });
}
