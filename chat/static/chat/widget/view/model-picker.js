/* Which model answers: a button below the composer, and a list to choose from, for the next answer or from now on. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { costText } from "../words.js";
import { textButton } from "./buttons.js";

export class ModelPicker {
  /** `choose` takes the model's id and whether it is for the next answer only. */
  constructor(models, choose) {
    this.models = models;
    this.choose = choose;
    this.shown = "";
    this.name = h("span", { class: "model-name" });
    const looks = { class: "model-button", type: "button", "aria-haspopup": "dialog", "aria-expanded": "false" };
    this.button = h("button", { ...looks, on: { click: () => this.toggle() } }, this.name, icon("chevron"));
    this.gone = h("p", { class: "model-gone", role: "alert", hidden: true });
    this.list = h("div", { class: "model-list", role: "radiogroup", "aria-label": t("Model") });
    this.once = textButton(t("For the next answer"), () => this.take(true));
    const always = textButton(t("From now on"), () => this.take(false), "primary");
    const actions = h("div", { class: "model-actions" }, this.once, always);
    const card = { class: "model-card", role: "dialog", "aria-label": t("Model"), hidden: true };
    this.card = h("div", card, this.list, actions);
    const on = { keydown: (event) => this.keyed(event) };
    this.element = h("div", { class: "model-picker", hidden: true, on }, this.gone, this.card, this.button);
  }

  get open() {
    return !this.card.hidden;
  }

  /** `session` is null before a conversation has begun; `wanted` is what the next conversation, `once` the next answer gets. */
  update({ session, wanted, once }) {
    const gone = session?.modelAvailable === false;
    const current = this.models.find(session ? session.model : wanted);
    const unlisted = Boolean(session?.model) && !current && !gone;
    this.element.hidden = this.models.list.length === 0 || (this.models.list.length < 2 && !gone && !unlisted);
    this.state = { current, once: this.models.find(once), begun: Boolean(session) };
    const told = once
      ? t("{model}, for the next answer", { model: this.state.once?.label ?? once })
      : (current?.label ?? session?.model ?? "");
    const shown = `${told} ${gone} ${unlisted}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.name.textContent = told;
    this.button.title = t("Model: {model}", { model: told });
    this.gone.hidden = !gone && !unlisted;
    this.gone.textContent = noticeOf(session?.model ?? "", { gone, unlisted });
  }

  toggle() {
    if (this.open) this.hide();
    else this.show();
  }

  show() {
    const { current, once, begun } = this.state;
    const marked = once ?? current ?? this.models.list[0];
    this.list.replaceChildren(...this.models.list.map((model) => row(model, model === marked, model === current)));
    this.once.hidden = !begun;
    this.card.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.list.querySelector("input:checked").focus();
  }

  hide({ focus = true } = {}) {
    if (!this.open) return;
    this.card.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (focus) this.button.focus();
  }

  take(once) {
    const chosen = this.list.querySelector("input:checked").value;
    this.hide();
    this.choose(chosen, once);
  }

  keyed(event) {
    if (!this.open) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      this.hide();
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      this.take(false);
    }
  }
}

function noticeOf(model, { gone, unlisted }) {
  if (gone) return t("The model of this conversation, {model}, is not available any more. Choose another one.", { model });
  if (!unlisted) return "";
  return t("This site does not list the model of this conversation, {model}: nobody knows what it costs.", { model });
}

function row(model, checked, current) {
  const { id, label } = model;
  const input = h("input", { type: "radio", name: "model", value: id, checked });
  const words = h("span", { class: "model-words" }, h("span", { class: "model-label", text: label || id }));
  words.append(h("span", { class: "model-facts", text: factsOf(model).join(" · ") }));
  const mark = current ? h("span", { class: "model-current", text: t("current") }) : null;
  return h("label", { class: "model-row" }, input, words, mark);
}

/** Where it is asked, whether it reasons, what a million tokens cost to read and to write, how much it can read. */
function factsOf({ provider, reasons, price, contextWindow }) {
  const facts = [provider, reasons ? t("reasons") : ""];
  const prices = price && { input: costText(price.input), output: costText(price.output) };
  if (prices && price.output > 0) facts.push(t("{input} in, {output} out per million tokens", prices));
  if (contextWindow) facts.push(t("reads {count} tokens", { count: contextWindow }));
  return facts.filter(Boolean);
}
