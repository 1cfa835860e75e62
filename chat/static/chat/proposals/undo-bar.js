/* A bar after each change that was applied here: undo it, and redo what was undone. Both are new history.
 *
 * Where something of it was changed since, it shows what, and the person chooses which of that stays as it is.
 */

import { changeTitle } from "../../graphs/diff.js";
import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { iconButton, textButton } from "../widget/view/buttons.js";
import { conflictChoice } from "./conflicts.js";
import { outcomeText } from "./words.js";

export class UndoBar {
  constructor(api) {
    this.api = api;
    this.element = h("div", { class: "undo-bar", role: "status", hidden: true });
  }

  /** A proposal that was decided here; of several the last one that was applied stands in the bar. */
  offer({ status, changeSetId, diff }) {
    if (status === "applied" && changeSetId) this.done(changeSetId, changeTitle(diff));
  }

  /** One of which nothing came, and whose card is gone from here. */
  refused(proposal) {
    this.show("warning", `${changeTitle(proposal.diff)}: ${outcomeText(proposal)}`);
  }

  undo({ changeSetId, diff }) {
    const title = changeTitle(diff);
    return this.rollBack(changeSetId, {}, (undoing) => this.undone(undoing, title));
  }

  /** `changeSetId` is what did it, or did it again. */
  done(changeSetId, title) {
    const undo = () => this.rollBack(changeSetId, {}, (undoing) => this.undone(undoing, title));
    this.show("check", t("Applied: {title}", { title }), textButton(t("Undo"), undo));
  }

  undone(changeSetId, title) {
    const redo = () => this.rollBack(changeSetId, {}, (redoing) => this.done(redoing, title));
    this.show("retry", t("Undone: {title}", { title }), textButton(t("Redo"), redo));
  }

  /** Asks about conflicts where there are some; `then` takes the id of the new change set. */
  async rollBack(changeSetId, choice, then) {
    this.show("clock", t("Working…"));
    try {
      const { id } = await this.api.rollBack(changeSetId, choice);
      then(id);
    } catch (error) {
      if (error.body?.conflicts?.length) this.ask(changeSetId, error.body.conflicts, then);
      else this.show("warning", error.message);
    }
  }

  ask(changeSetId, conflicts, then) {
    const choice = conflictChoice(conflicts);
    const goOn = () => this.rollBack(changeSetId, { leaveOut: choice.chosen() }, then);
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
