/* The form in which a person edits what was proposed; it ends in a preview, never in a change. */

import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { textButton } from "../widget/view/buttons.js";
import { editableFields, editedArguments } from "./arguments.js";

const LONG = 60;
const MOST_CHARACTERS = 2000;
let made = 0;

export class EditForm {
  /** `actions` are {preview(editedArguments), cancel}. */
  constructor(proposal, actions) {
    this.proposal = proposal;
    const fields = editableFields(proposal, t("Arguments"));
    this.fields = fields.map((field) => new EditedField(field, `edit-${(made += 1)}`));
    this.problem = h("p", { class: "proposal-problem", role: "alert" });
    const preview = h("button", { class: "button primary", type: "submit", text: t("Preview") });
    const buttons = h("div", { class: "proposal-actions" }, preview, textButton(t("Cancel"), actions.cancel));
    const elements = this.fields.map(({ element }) => element);
    this.element = h("form", { class: "proposal-form", noValidate: true }, ...elements, this.problem, buttons);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.isValid()) actions.preview(this.arguments());
    });
  }

  focus() {
    const first = this.fields[0]?.input;
    if (first?.type === "textarea") first.setSelectionRange(0, 0);
    first?.focus();
  }

  isValid() {
    const wrong = this.fields.filter((field) => !field.check());
    wrong[0]?.input.focus();
    return wrong.length === 0;
  }

  arguments() {
    return editedArguments(this.proposal, Object.fromEntries(this.fields.map(({ name, value }) => [name, value])));
  }
}

class EditedField {
  constructor({ name, label, form, value }, id) {
    this.name = name;
    this.form = form;
    this.proposed = value;
    this.input = inputFor(form, value, id);
    this.untouched = this.input.value;
    this.error = h("p", { class: "proposal-problem", id: `${id}-error` });
    this.input.setAttribute("aria-describedby", this.error.id);
    this.input.addEventListener("change", () => this.check());
    const title = h("label", { htmlFor: id, text: label });
    this.element = h("div", { class: "proposal-field" }, title, this.input, this.error);
  }

  check() {
    const problem = this.problem();
    this.error.textContent = problem;
    this.input.setAttribute("aria-invalid", String(Boolean(problem)));
    return !problem;
  }

  problem() {
    if (this.form === "number") return Number.isFinite(Number(this.value)) ? "" : t("This is not a number.");
    if (this.form !== "json") return "";
    try {
      JSON.parse(this.input.value);
      return "";
    } catch (error) {
      return t("This is not JSON: {problem}", { problem: error.message });
    }
  }

  /** A text field shows line ends in its own way: what nobody touched, and line ends as such, stay as they were. So does a
   * number that is a text, as decimals are.
   */
  get value() {
    const text = this.input.value;
    if (text === this.untouched) return this.proposed;
    if (this.form === "number" && text.trim() === "") return NaN;
    if (this.form === "number") return typeof this.proposed === "string" ? text.trim() : Number(text);
    if (this.form === "json" || this.form === "boolean") return JSON.parse(text);
    return String(this.proposed ?? "").includes("\r\n") ? text.replace(/\n/g, "\r\n") : text;
  }
}

function inputFor(form, value, id) {
  const text = form === "json" ? JSON.stringify(value, null, 2) : String(value ?? "");
  const lines = text.split("\n").length;
  const short = form === "key" || (form === "text" && lines === 1 && text.length <= LONG);
  if (form === "number") return h("input", { class: "field", id, type: "text", inputMode: "decimal", value: text });
  if (form === "boolean") {
    const options = [...new Set([value, true, false])].map((each) => h("option", { text: String(each) }));
    return h("select", { class: "field", id }, ...options);
  }
  if (short) return h("input", { class: "field", id, type: "text", value: text });
  const rows = Math.min(16, Math.max(3, lines + 1));
  const looks = { class: `field ${form === "text" ? "" : "code"}`, id, rows, spellcheck: form === "text" };
  return h("textarea", { ...looks, value: text });
}

/** Saying no, and why: `send` takes the feedback, which may be empty. Enter sends, Shift+Enter begins a new line. */
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
