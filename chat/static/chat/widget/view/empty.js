/* What is shown before the first message: a greeting and three questions to try. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";

/** `context` is {type, id} or null; `ask` takes the chosen question. */
export function emptyState(context, userName, ask) {
  const buttons = questions(context).map(([name, text]) => {
    const click = () => ask(text);
    return h("button", { class: "suggestion", type: "button", on: { click } }, icon(name), h("span", { text }));
  });
  return h(
    "div",
    { class: "empty" },
    h("div", { class: "empty-icon" }, icon("spark")),
    h("h3", { text: userName ? t("Hello, {name}", { name: userName }) : t("Hello") }),
    h("p", { class: "muted", text: invitation(context) }),
    h("div", { class: "suggestions", role: "group", "aria-label": t("Questions to try") }, ...buttons),
  );
}

function invitation(context) {
  if (context?.type === "graph") {
    return t("Ask anything about this workflow. The assistant looks it up in the graph and shows what it read.");
  }
  return t("Ask which workflows there are. For what is in one, open it and ask there.");
}

function questions(context) {
  if (context?.type === "graph") {
    return [
      ["list", t("What is in this graph?")],
      ["node", t("What happens after the start?")],
      ["search", t("Find the nodes that handle errors")],
    ];
  }
  return [
    ["list", t("Which workflows are in this workspace?")],
    ["search", t("Which workflow has to do with customers?")],
    ["question", t("What can I ask you?")],
  ];
}
