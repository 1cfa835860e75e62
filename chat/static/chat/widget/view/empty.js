/* What is shown before the first message: a greeting and questions to try, which the kind of the page's object has. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";

/** `welcome` is {invitation, questions: [[icon, text]]}; `ask` takes the chosen question. */
export function emptyState(welcome, userName, ask) {
  const buttons = welcome.questions.map(([name, text]) => {
    const click = () => ask(text);
    return h("button", { class: "suggestion", type: "button", on: { click } }, icon(name), h("span", { text }));
  });
  return h(
    "div",
    { class: "empty" },
    h("div", { class: "empty-icon" }, icon("spark")),
    h("h3", { text: userName ? t("Hello, {name}", { name: userName }) : t("Hello") }),
    h("p", { class: "muted", text: welcome.invitation }),
    h("div", { class: "suggestions", role: "group", "aria-label": t("Questions to try") }, ...buttons),
  );
}
