/* The proposals of one answer: a card for each, and one line to decide all that wait at once. */

import { t } from "../../graphs/strings.js";
import { arrange, h } from "../widget/elements.js";
import { textButton } from "../widget/view/buttons.js";
import { ProposalCard } from "./card.js";
import { isPending } from "./proposal.js";

export class ProposalGroup {
  /** `context` is {decisions, mayDecide, show, showText, undo, redo}. */
  constructor(context) {
    this.context = context;
    this.cards = new Map();
    this.busy = false;
    this.count = h("span");
    this.problem = h("p", { class: "proposal-problem", role: "alert" });
    this.buttons = [
      textButton(t("Approve all"), () => this.decide(true), "primary"),
      textButton(t("Reject all"), () => this.decide(false), "danger"),
    ];
    this.all = h("div", { class: "proposals-all" }, this.count, ...this.buttons, this.problem);
    this.element = h("div", { class: "proposals" });
  }

  update(proposals) {
    if (proposals === this.shown) return;
    this.shown = proposals;
    this.render();
  }

  render() {
    const waiting = this.shown.filter(isPending);
    const cards = this.shown.map((proposal) => this.card(proposal).element);
    this.count.textContent = t("{count} changes wait for you", { count: waiting.length });
    for (const button of this.buttons) button.disabled = this.busy;
    arrange(this.element, waiting.length > 1 && this.context.mayDecide ? [this.all, ...cards] : cards);
  }

  card(proposal) {
    if (!this.cards.has(proposal.id)) {
      const { decisions, mayDecide, ...actions } = this.context;
      this.cards.set(proposal.id, new ProposalCard(decisions, { mayDecide, actions }));
    }
    const card = this.cards.get(proposal.id);
    card.update(proposal);
    return card;
  }

  async decide(approved) {
    this.busy = true;
    this.problem.textContent = "";
    this.render();
    try {
      const problems = await this.context.decisions.decideAll(this.shown.filter(isPending), approved);
      this.problem.textContent = problems.join(" ");
    } catch (error) {
      this.problem.textContent = error.message;
    }
    this.busy = false;
    this.render();
  }
}
