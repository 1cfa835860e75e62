/* Thumbs up or down for an answer, with a comment: the reader's own vote, changed and taken back as they like. */

import { t } from "../../../graphs/strings.js";
import { h, arrange } from "../elements.js";
import { iconButton, textButton } from "./buttons.js";

const COMMENT_CHARACTERS = 2000;
const NONE = { vote: 0, comment: "" };

export class Rating {
  /** `rate(id, {vote, comment})` asks the server, and gives what it stored; without it nothing is offered. */
  constructor(rate) {
    this.rate = rate;
    this.message = null;
    this.up = iconButton("thumbUp", t("Good answer"), "rate", () => this.vote(1));
    this.down = iconButton("thumbDown", t("Not a good answer"), "rate", () => this.vote(-1));
    this.write = iconButton("pencil", t("Comment on your vote"), "rate", () => this.open());
    this.write.setAttribute("aria-expanded", "false");
    this.element = h("span", { class: "rating", role: "group", "aria-label": t("Your vote") }, this.up, this.down);
    this.form = null;
  }

  commentForm() {
    const looks = { class: "field", type: "text", maxLength: COMMENT_CHARACTERS, "aria-label": t("Comment") };
    this.field = h("input", { ...looks, placeholder: t("What was good, or what was missing?") });
    const save = h("button", { class: "button primary", text: t("Save") });
    const close = textButton(t("Close"), () => this.close());
    const form = h("form", { class: "rating-form" }, this.field, save, close);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.comment();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    return form;
  }

  get given() {
    return this.message.feedback ?? NONE;
  }

  async vote(wanted) {
    const { vote, comment } = this.given;
    if (vote === wanted) {
      this.close();
      await this.give(NONE);
    } else if (await this.give({ vote: wanted, comment })) this.open();
  }

  async comment() {
    const comment = this.field.value.trim();
    if (await this.give({ vote: this.given.vote, comment })) this.close();
  }

  /** Whether the server took it. What it stored is known at once, and shown when the answer is drawn again. */
  async give(vote) {
    const feedback = await this.rate(this.message.id, vote);
    if (feedback) this.message = { ...this.message, feedback };
    return Boolean(feedback);
  }

  /** Makes the form when it is first asked for: few answers are commented on. */
  open() {
    this.form ??= this.commentForm();
    this.element.closest("footer").after(this.form);
    this.field.value = this.given.comment;
    this.form.hidden = false;
    this.write.setAttribute("aria-expanded", "true");
    this.field.focus();
  }

  close() {
    if (!this.form || this.form.hidden) return;
    const within = this.form.contains(this.form.getRootNode().activeElement);
    this.form.hidden = true;
    this.write.setAttribute("aria-expanded", "false");
    if (within) this.write.focus();
  }

  /** False where there is nothing to vote on. */
  update(message) {
    this.message = message;
    const { vote, comment } = this.given;
    this.up.setAttribute("aria-pressed", String(vote === 1));
    this.down.setAttribute("aria-pressed", String(vote === -1));
    this.write.title = comment || t("Comment on your vote");
    arrange(this.element, vote ? [this.up, this.down, this.write] : [this.up, this.down]);
    return Boolean(this.rate);
  }
}
