/* Saying no, and why: what is written goes to the model. */

import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { textButton } from "../widget/view/buttons.js";

const MOST_CHARACTERS = 2000;

/** `send` takes the feedback, which may be empty. Enter sends, Shift+Enter begins a new line. */
export function rejectForm(send, cancel) {
  const label = t("What should be different? (optional)");
  const looks = { class: "field", rows: 2, maxLength: MOST_CHARACTERS, "aria-label": label, placeholder: label };
  const field = h("textarea", looks);
  const reject = h("button", { class: "button danger", type: "submit", text: t("Reject") });
  const buttons = h("div", { class: "proposal-actions" }, reject, textButton(t("Cancel"), cancel));
  const element = h("form", { class: "proposal-form" }, field, buttons);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    send(field.value.trim());
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    element.requestSubmit();
  });
  return { element, focus: () => field.focus() };
}
