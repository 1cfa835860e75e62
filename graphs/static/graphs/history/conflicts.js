// What is in the way of rolling back: later edits, by name, each to be left out.

import { unshown, visible } from "../diff.js";
import { valueText } from "../diff/value-text.js";
import { html, textButton } from "../dom.js";
import { t } from "../strings.js";
import { momentText, shortText } from "../words.js";

const LONGEST = 160;

/** What a value is, short. */
function short(value, words) {
  return value === null || value === undefined ? t("nothing") : shortText(valueText(value, words), LONGEST) || t("empty");
}

function row(conflict, leave) {
  const { object, label, field, fieldLabel, code, detail, found, changedBy, changedAt } = conflict;
  const what = [label || object.id, fieldLabel || field].filter(Boolean).join(" · ");
  const by = changedBy ? [visible(changedBy), momentText(changedAt)].filter(Boolean).join(", ") : "";
  const now = code === "changed" ? html("span", { class: "muted" }, t("now: {value}", { value: short(found, conflict) })) : null;
  return html(
    "li",
    {},
    html("strong", { dir: "auto" }, visible(what)),
    html("span", {}, visible(detail)),
    now,
    by ? html("span", { class: "muted" }, by) : null,
    textButton(t("Leave out"), () => leave([conflict])),
  );
}

/** The first of `count` conflicts; `leave(conflicts)` leaves them out, after which the next ones are asked about. */
export function conflictList(conflicts, count, leave) {
  const rest = count - conflicts.length;
  const all = rest > 0 ? t("Leave these out and show the next ones") : t("Leave all of them out");
  return html(
    "div",
    { class: "notice warning" },
    html("h3", {}, t("Changed since")),
    html("p", {}, t("Nothing is rolled back over a later change unseen. Leave these out, or cancel.")),
    html("ul", { class: "rollback-conflicts" }, ...conflicts.map((conflict) => row(conflict, leave))),
    unshown(rest),
    conflicts.length > 1 ? textButton(all, () => leave(conflicts)) : null,
  );
}
