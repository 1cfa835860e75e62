/* One generation: a line that says how far it is, which opens to what the model writes, as the chat shows an answer. */

import { t } from "../../graphs/strings.js";
import { h } from "../widget/elements.js";
import { sheets } from "../widget/styles.js";
import { AssistantMessage } from "../widget/view/message.js";
import { costText } from "../widget/words.js";

const OVER = new Set(["succeeded", "failed", "cancelled"]);
const CANCELLABLE = new Set(["queued", "running", "waiting"]);

export class GenerationBlock {
  /** `cancel` stops it; `decisions` decide on what came of it; `told` is called whenever something was told of it. */
  constructor(label, { decisions, mayEdit, cancel, told }) {
    this.heard = told;
    this.state = "queued";
    this.told = {};
    this.status = h("span", { class: "generation-state", role: "status" });
    this.stop = h("button", { class: "button small", type: "button", text: t("Cancel"), hidden: true, on: { click: cancel } });
    this.mayEdit = mayEdit;
    this.note = h("p", { class: "generation-note", hidden: true });
    this.text = h("pre", { class: "generation-text", hidden: true });
    this.stage = h("div", { class: "generation-stage" });
    this.stage.attachShadow({ mode: "open" }).adoptedStyleSheets = sheets;
    const nothing = () => {};
    this.message = new AssistantMessage({
      retry: nothing, answer: nothing, deepen: nothing, keep: nothing, proposals: { decisions, mayDecide: mayEdit },
    });
    this.stage.shadowRoot.append(this.message.element);
    this.details = h("details", {}, h("summary", {}, h("span", { class: "generation-label", text: label }), this.status), this.stage, this.note, this.text);
    this.element = h("section", { class: "generation", "aria-label": label }, this.details, this.stop);
  }

  get isOver() {
    return OVER.has(this.state);
  }

  /** What an event or the API says of it; what is not said stays. */
  tell({ state, progress, waitsFor, error, text, cost }) {
    if (state !== this.state && state === "running") this.details.open = true;
    this.state = state;
    this.told = { ...this.told, ...(progress && { progress }), ...(error && { error }), ...(text && { text }), ...(cost && { cost }), waitsFor };
    this.element.dataset.state = state;
    this.status.textContent = this.words();
    this.stop.hidden = !this.mayEdit || !CANCELLABLE.has(state);
    const note = waitsFor === "object" ? t("Another generation of this record is at work.")
      : waitsFor === "slots" ? t("Other generations of this workspace are at work.")
        : state === "failed" ? this.told.error?.message : "";
    this.note.textContent = note ?? "";
    this.note.hidden = !note;
    this.text.textContent = state === "failed" ? this.told.text ?? "" : "";
    this.text.hidden = !this.text.textContent;
    this.heard();
  }

  /** The answer of its model as far as it was read. */
  show(message) {
    if (message) this.message.update(message, { last: false, busy: true, model: "" });
  }

  words() {
    const { progress, cost } = this.told;
    const states = {
      queued: t("waits for its turn"), running: t("is being written"), waiting: t("waits for a decision"),
      succeeded: t("done"), failed: t("failed"), cancelled: t("cancelled"),
    };
    const parts = [states[this.state] ?? this.state];
    if (progress?.of) parts.push(t("{done} of {of}", { done: progress.done, of: progress.of }));
    if (progress?.failed) parts.push(t("{count} failed", { count: progress.failed }));
    if (progress?.cancelled) parts.push(t("{count} cancelled", { count: progress.cancelled }));
    if (cost && this.isOver) parts.push(costText(cost));
    return parts.join(" · ");
  }
}
