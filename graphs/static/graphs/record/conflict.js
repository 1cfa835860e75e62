// Two people changed the same field: who it was, both values, and which of them shall hold.

import { visible } from "../diff/visible.js";
import { html, textButton } from "../dom.js";
import { t } from "../strings.js";
import { momentText } from "../words.js";

/** `conflict` is that of the server, `mine` the value that was to be saved; `choose`: useMine(), keepTheirs(). */
export function bothSides({ by, at, found, detail }, mine, { useMine, keepTheirs }) {
  const who = by ? visible(by) : t("Somebody");
  const when = at ? momentText(at) : "";
  const title = when ? t("{who} changed this meanwhile, {when}.", { who, when }) : t("{who} changed this meanwhile.", { who });
  return html(
    "div",
    { class: "notice warning field-conflict", role: "alertdialog", tabindex: "-1", "aria-label": title },
    html("p", {}, html("strong", {}, title), " ", t("Nothing was saved yet.")),
    detail ? html("p", {}, visible(detail)) : null,
    html("div", { class: "field-sides" }, side(t("Theirs"), found), side(t("Mine"), mine)),
    html("div", { class: "actions" }, textButton(t("Keep theirs"), keepTheirs), textButton(t("Use mine"), useMine)),
  );
}

function side(title, value) {
  const nothing = value === null || value === undefined || value === "";
  const text = nothing ? t("nothing") : visible(asText(value));
  return html("div", {}, html("h3", {}, title), html("div", { class: "field-side", dir: "auto" }, text));
}

function asText(value) {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
