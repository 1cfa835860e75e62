// Two people changed the same field: who it was, both values, and which of them shall hold.

import { valueText } from "../diff/value-text.js";
import { visible } from "../diff/visible.js";
import { html, textButton } from "../dom.js";
import { t } from "../strings.js";
import { momentText } from "../words.js";

/** `conflict` is that of the server, `mine` the value that was to be saved; `choose`: useMine(), keepTheirs(). */
export function bothSides({ by, at, found, detail, ...words }, mine, { useMine, keepTheirs }) {
  const who = by ? visible(by) : t("Somebody");
  const when = at ? momentText(at) : "";
  const title = when ? t("{who} changed this meanwhile, {when}.", { who, when }) : t("{who} changed this meanwhile.", { who });
  return html(
    "div",
    { class: "notice warning field-conflict", role: "alertdialog", tabindex: "-1", "aria-label": title },
    html("p", {}, html("strong", {}, title), " ", t("Nothing was saved yet.")),
    detail ? html("p", {}, visible(detail)) : null,
    html("div", { class: "field-sides" }, side(t("Theirs"), found, words), side(t("Mine"), mine, words)),
    html("div", { class: "actions" }, textButton(t("Keep theirs"), keepTheirs), textButton(t("Use mine"), useMine)),
  );
}

function side(title, value, words) {
  const nothing = value === null || value === undefined || value === "";
  const text = nothing ? t("nothing") : visible(valueText(value, words));
  return html("div", {}, html("h3", {}, title), html("div", { class: "field-side", dir: "auto" }, text));
}
