/* A bar after each change that was applied here: undo it, and redo what was undone. Both are new history.
 *
 * Where something of it was changed since, it shows what, and the person chooses which of that stays as it is.
 */

import { proposalTitle } from "../../graphs/diff.js";
import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { iconButton, textButton } from "../widget/view/buttons.js";
import { conflictChoice } from "./conflicts.js";
import { outcomeText } from "./words.js";

export class UndoBar {
  /** `decisions` asks how a proposal stands afterwards. */
  constructor(api, decisions) {
    this.api = api;
    this.decisions = decisions;
    this.element = h("div", { class: "undo-bar", role: "status", hidden: true });
  }

  /** A proposal that was decided here; of several the last one that was applied stands in the bar. */
  offer(proposal) {
    if (proposal.status === "applied" && proposal.changeSetId) this.done(proposal, proposal.changeSetId);
  }

  /** One of which nothing came, and whose card is gone from here. */
  refused(proposal) {
    this.show("warning", `${proposalTitle(proposal)}: ${outcomeText(proposal)}`);
  }

  undo(proposal, done = proposal.changeSetId) {
    return this.rollBack(proposal, done, {}, (undoing) => this.undone(proposal, undoing));
  }

  redo(proposal, undoing = proposal.undoneBy) {
    return this.rollBack(proposal, undoing, {}, (done) => this.done(proposal, done));
  }

  /** `done` is the change set that did it, or did it again. */
  done(proposal, done) {
    const title = proposalTitle(proposal);
    this.show("check", t("Applied: {title}", { title }), textButton(t("Undo"), () => this.undo(proposal, done)));
  }

  undone(proposal, undoing) {
    const title = proposalTitle(proposal);
    this.show("retry", t("Undone: {title}", { title }), textButton(t("Redo"), () => this.redo(proposal, undoing)));
  }

  /** Asks about conflicts where there are some; `then` takes the id of the new change set. */
  async rollBack(proposal, changeSetId, choice, then) {
    this.show("clock", t("Working…"));
    try {
      const { id } = await this.api.rollBack(changeSetId, choice);
      then(id);
      this.decisions.refresh(proposal).catch(() => {});
    } catch (error) {
      const { conflicts, body } = error;
      // What was left out before is so still: where there are more, the next ones are asked about.
      const goOn = (chosen) =>
        this.rollBack(proposal, changeSetId, { leaveOut: [...(choice.leaveOut ?? []), ...chosen] }, then);
      if (conflicts?.length) this.ask(conflicts, body?.conflictCount, goOn);
      else this.show("warning", error.message);
    }
  }

  ask(conflicts, count, goOnWithout) {
    const choice = conflictChoice(conflicts, count);
    const goOn = () => goOnWithout(choice.chosen());
    this.show("warning", t("Some of it was changed since. What is ticked stays as it is now:"));
    const buttons = h(
      "div",
      { class: "proposal-actions" },
      textButton(t("Undo the rest"), goOn, "primary"),
      textButton(t("Undo nothing"), () => this.hide()),
    );
    this.element.append(h("div", { class: "undo-choice" }, choice.element, buttons));
  }

  show(sign, text, ...buttons) {
    const close = iconButton("close", t("Dismiss"), "dismiss", () => this.hide());
    const held = this.element.matches(":focus-within");
    this.element.hidden = false;
    this.element.replaceChildren(icon(sign), h("p", { text, dir: "auto" }), ...buttons, close);
    if (held) this.element.querySelector("button").focus();
  }

  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}
