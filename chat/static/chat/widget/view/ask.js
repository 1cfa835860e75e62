/* What an answer waits for: whether to go on after many tool calls, or the model's own question. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { textButton } from "./buttons.js";

/** A card for `ask`; `answer` takes {continue} or {answer}. */
export function askCard(ask, answer) {
  return ask.kind === "toolLimit" ? toolLimitCard(ask, answer) : questionCard(ask, answer);
}

function toolLimitCard({ roundsUsed, maxExtended }, answer) {
  const text = roundsUsed
    ? t("The assistant has used {used} rounds of looking things up and wants to go on.", { used: roundsUsed })
    : t("The assistant has looked many things up and wants to go on.");
  const goOn = maxExtended ? t("Go on to {count} rounds", { count: maxExtended }) : t("Go on");
  return card(
    text,
    choices(
      textButton(goOn, () => answer({ continue: true }), "primary"),
      textButton(t("Summarise now"), () => answer({ continue: false })),
    ),
  );
}

function questionCard(ask, answer) {
  const options = ask.options.map(asOption);
  const several = ["multiple", "multiple_choice", "multi"].includes(ask.answerKind);
  const text = ask.text || t("The assistant waits for your answer.");
  if (options.length === 0) return card(text, freeAnswer(answer));
  if (several) return card(text, severalAnswers(options, answer));
  return card(text, choices(...options.map(({ label, value }) => textButton(label, () => answer({ answer: value })))));
}

function severalAnswers(options, answer) {
  const boxes = options.map(({ label, value }) => {
    const box = h("input", { type: "checkbox" });
    return { box, value, label: h("label", { class: "ask-option" }, box, h("span", { text: label })) };
  });
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ value }) => value);
  const send = textButton(t("Answer"), () => answer({ answer: chosen() }), "primary");
  send.disabled = true;
  const list = h("div", { class: "ask-options" }, ...boxes.map(({ label }) => label));
  list.addEventListener("change", () => {
    send.disabled = chosen().length === 0;
  });
  return h("div", {}, list, choices(send));
}

function freeAnswer(answer) {
  const field = h("input", { class: "field", type: "text", "aria-label": t("Your answer"), maxLength: 2000 });
  const form = h("form", { class: "ask-form" }, field, h("button", { class: "button primary", text: t("Answer") }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) answer({ answer: field.value.trim() });
  });
  return form;
}

function card(text, body) {
  const words = h("p", {}, icon("question"), h("span", { text }));
  return h("div", { class: "ask", role: "group", "aria-label": text }, words, body);
}

function choices(...buttons) {
  return h("div", { class: "ask-choices" }, ...buttons);
}

function asOption(option) {
  if (option === null || typeof option !== "object") return { label: String(option), value: option };
  const value = option.value ?? option.id ?? option.label;
  return { label: String(option.label ?? option.text ?? value), value };
}
