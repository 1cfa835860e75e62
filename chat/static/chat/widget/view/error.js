/* Why an answer failed, and what to try: the same again, or with one of the corrections that were not tried yet. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { errorText } from "../words.js";
import { textButton } from "./buttons.js";

export class ErrorCard {
  /** `actions` are {retry(choice), otherModels(message)}; without `otherModels` none is offered. */
  constructor(actions) {
    this.actions = actions;
    this.shown = "";
    this.element = h("div", { class: "error", role: "group", "aria-label": t("The answer failed") });
  }

  /** `last` says that nothing follows the answer, so that it can be tried again. */
  update(message, last, busy) {
    const problem = message.error ?? { code: "internal", message: "", retryable: true, corrections: [] };
    const models = last ? (this.actions.otherModels?.(message) ?? []) : [];
    const shown = JSON.stringify([problem, last, models.map(({ id }) => id)]);
    if (shown !== this.shown) {
      this.shown = shown;
      const tries = last ? this.tries(problem, models) : [];
      const choices = tries.length ? [h("div", { class: "tries" }, ...tries)] : [];
      this.element.replaceChildren(icon("warning"), h("p", { text: errorText(problem) }), ...choices);
    }
    for (const control of this.element.querySelectorAll("button, select")) control.disabled = busy;
  }

  tries({ retryable, corrections }, models) {
    const words = { summarise: t("Summarise and try again"), shorter: t("Ask for a shorter answer") };
    const again = retryable ? [this.button(t("Retry"), {})] : [];
    const simple = corrections.filter((each) => words[each]);
    const others = corrections.includes("model") && models.length ? [this.withModel(models)] : [];
    return [...again, ...simple.map((correction) => this.button(words[correction], { correction })), ...others];
  }

  button(text, choice) {
    const button = textButton(text, () => this.actions.retry(choice));
    button.prepend(icon("retry"));
    return button;
  }

  withModel(models) {
    const options = models.map(({ id, label }) => h("option", { value: id, text: label }));
    const select = h("select", { class: "field", "aria-label": t("Another model") }, ...options);
    const ask = textButton(t("Try with this model"), () =>
      this.actions.retry({ correction: "model", model: select.value }));
    return h("span", { class: "try-model" }, select, ask);
  }
}
