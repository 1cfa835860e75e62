/* The list of the inbox: a line for each proposal, the oldest first. */

import { proposalTitle, visible } from "../../graphs/diff.js";
import { t } from "../../graphs/strings.js";
import { arrange, h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { agoText, momentText } from "../widget/words.js";
import { statusOf } from "../proposals/proposal.js";
import { statusText } from "../proposals/words.js";

export class InboxList {
  /** `choose` takes the id of the line that was clicked. */
  constructor(choose) {
    this.choose = choose;
    this.lines = new Map();
    this.element = h("div", {
      class: "inbox-list", role: "listbox", tabIndex: 0, "aria-label": t("Changes that wait for a decision"),
    });
  }

  update(proposals, chosen) {
    arrange(this.element, proposals.map((proposal) => this.line(proposal)));
    for (const [id, { element }] of this.lines) element.setAttribute("aria-selected", String(id === chosen));
    const line = this.lines.get(chosen)?.element;
    if (!line || this.chosen === chosen) return;
    this.chosen = chosen;
    this.element.setAttribute("aria-activedescendant", line.id);
    line.scrollIntoView({ block: "nearest" });
  }

  line(proposal) {
    const known = this.lines.get(proposal.id);
    if (known?.proposal === proposal) return known.element;
    const { id } = proposal;
    const looks = { class: "line", role: "option", id: `line-${id}`, on: { click: () => this.choose(id) } };
    const element = known?.element ?? h("div", looks);
    const status = statusOf(proposal);
    const about = [proposal.objectTitle ?? proposal.object?.id, proposal.owner, agoText(proposal.createdAt)];
    const state = status === "pending" ? null : h("span", { class: "proposal-status", text: statusText(status) });
    const sign = icon(status === "pending" ? "question" : status === "applied" ? "check" : "close");
    element.dataset.status = status;
    element.title = momentText(proposal.createdAt);
    element.replaceChildren(
      sign,
      h("span", { class: "line-title", dir: "auto", text: proposalTitle(proposal) }),
      state ?? "",
      h("span", { class: "line-about", dir: "auto", text: about.filter(Boolean).map(visible).join(" · ") }),
    );
    this.lines.set(proposal.id, { proposal, element });
    return element;
  }
}
