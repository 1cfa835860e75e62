// The form around what a field is edited by: Save and Cancel, their keys, what was refused, and what to decide.

import { html, textButton } from "../dom.js";
import { t } from "../strings.js";

export class FieldForm {
  #editor;
  #host;
  #problem = html("div", { class: "field-error", role: "alert" });
  #warning = html("p", { class: "notice warning", role: "status", hidden: true });
  #question = html("div", {});
  #save = html("button", { type: "submit", class: "button primary small" }, t("Save"));
  #cancel = textButton(t("Cancel"), () => this.#leave());

  /** `host`: save(), close(), typed(). */
  constructor(editor, host) {
    this.#editor = editor;
    this.#host = host;
    const keys = html("span", { class: "hint" }, t("Ctrl + Enter saves, Escape cancels"));
    this.element = html(
      "form",
      { class: "field-form", novalidate: true },
      this.#warning,
      editor.element,
      this.#problem,
      this.#question,
      html("div", { class: "actions" }, this.#save, this.#cancel, keys),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.element.addEventListener("input", () => {
      this.#problem.replaceChildren();
      host.typed();
    });
    this.element.addEventListener("keydown", (event) => this.#keyed(event));
  }

  /** While it is saved nobody saves it again, and nothing else is typed. */
  wait(saving) {
    this.#save.disabled = saving;
    this.#save.textContent = saving ? t("Saving …") : t("Save");
    this.#editor.element.inert = saving;
    if (saving) {
      this.#problem.replaceChildren();
      this.#question.replaceChildren();
    }
  }

  /** Why it was not saved, in sentences; what was typed stays. */
  refuse(sentences) {
    this.#problem.replaceChildren(...sentences.map((text) => html("p", {}, text)));
    this.#editor.focus();
  }

  /** Shows what has to be decided before it can be saved. */
  ask(element) {
    this.#question.replaceChildren(element);
    element.focus();
  }

  warn(text) {
    this.#warning.textContent = text;
    this.#warning.hidden = !text;
  }

  #submit() {
    if (!this.#save.disabled) this.#host.save();
  }

  #keyed(event) {
    if (event.key === "Escape" && !event.isComposing) {
      event.preventDefault();
      if (this.#question.firstChild) this.#goOn();
      else this.#leave();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#submit();
    }
  }

  #goOn() {
    this.#question.replaceChildren();
    this.#editor.focus();
  }

  /** Asks before anything that was typed is lost. */
  #leave() {
    if (this.#save.disabled) return;
    if (!this.#editor.changed) return this.#host.close();
    const goOn = textButton(t("Go on writing"), () => this.#goOn());
    const discard = textButton(t("Discard it"), () => this.#host.close(), { class: "button small danger" });
    const words = html("p", {}, t("What you typed is not saved. Discard it?"));
    const question = html("div", { class: "notice warning", role: "alertdialog", "aria-label": t("Discard it?") }, words);
    question.append(html("div", { class: "actions" }, goOn, discard));
    this.#question.replaceChildren(question);
    goOn.focus();
  }
}
