// A dialog that asks for something, and says in it why that was refused.

import { html, textButton } from "../dom.js";
import { Refusal } from "../requests.js";
import { t } from "../strings.js";

/** What `done()` is refused with is said in the dialog; else it closes, and then does what `done()` gave. */
export function openDialog(title, submit, fields, done, kind = "primary") {
  const said = html("p", { class: "field-error", role: "alert" });
  const button = html("button", { type: "submit", class: `button ${kind}` }, submit);
  const cancel = textButton(t("Cancel"), () => dialog.close(), { class: "button" });
  const form = html("form", { class: "stack" }, ...fields, said, html("div", { class: "actions" }, button, cancel));
  const heading = html("h2", { id: "record-dialog-title" }, title);
  const dialog = html("dialog", { class: "whole-graph card", "aria-labelledby": heading.id }, heading, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const then = await done();
      dialog.close();
      then?.();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      said.textContent = Object.values(error.errors).flat()[0] ?? error.message;
    }
    button.disabled = false;
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
