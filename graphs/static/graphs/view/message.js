// What stands in place of the drawing while there is none: loading, a failure with what to do, nothing to draw.

import { html, icon } from "../dom.js";
import { ICONS } from "../icons.js";
import { t } from "../strings.js";

export function loadingMessage() {
  return html(
    "div",
    { class: "message", role: "status" },
    html("div", { class: "spinner" }),
    html("p", {}, t("Loading the graph …")),
  );
}

export function failureMessage({ title, advice, login, retry }, again) {
  const next = encodeURIComponent(location.pathname + location.search);
  const actions = html(
    "div",
    { class: "actions" },
    login ? html("a", { class: "button", href: `/accounts/login/?next=${next}` }, t("Sign in")) : null,
    retry ? html("button", { class: "button", type: "button", onclick: again }, t("Try again")) : null,
  );
  return html(
    "div",
    { class: "message", role: "alert" },
    icon(ICONS.alert, 34),
    html("h2", {}, title),
    html("p", {}, advice),
    actions,
  );
}

/** For a graph or a sheet without nodes; lies over the empty canvas. */
export function emptyMessage(wholeGraph) {
  const title = wholeGraph ? t("This graph is empty") : t("This sheet is empty");
  const advice = wholeGraph ? t(
    "Add a first node, or ask the assistant to propose one.",
  ) : t("Nothing is on this sheet yet.");
  return html("div", { class: "message over" }, icon(ICONS.box, 34), html("h2", {}, title), html("p", {}, advice));
}
