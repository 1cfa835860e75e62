// What a proposal would do to the thing under the mouse: field by field, short.

import { jsonChanges } from "../../diff/json-changes.js";
import { visible } from "../../diff/visible.js";
import { changeTitle, SIGNS } from "../../diff/words.js";
import { html } from "../../dom.js";
import { t } from "../../strings.js";
import { numberText, shortTexts } from "../../words.js";

const MOST_FIELDS = 6;
const MOST_PATHS = 3;
const LONGEST = 80;

function row(label, old, now) {
  const isSomething = (value) => value !== null && value !== undefined;
  const [before, after] = shortTexts(old, now, LONGEST);
  return html(
    "div",
    { class: "tip-field" },
    html("span", {}, label),
    html(
      "span",
      {},
      isSomething(old) ? html("del", {}, before || t("empty")) : null,
      isSomething(old) && isSomething(now) ? " → " : null,
      isSomething(now) ? html("ins", {}, after || t("empty")) : null,
    ),
  );
}

function codeRow({ label, lines = [], added, removed }) {
  const count = (op) => lines.filter((line) => line.op === op).length;
  const sizes = `+${numberText(added ?? count("+"))} −${numberText(removed ?? count("-"))}`;
  return html("div", { class: "tip-field" }, html("span", {}, label), html("span", {}, sizes));
}

function rows(field) {
  if (field.form === "code" || (field.cut && field.lines)) return [codeRow(field)];
  if (field.form !== "json") return [row(field.label, field.old, field.new)];
  const changes = jsonChanges(field.old ?? undefined, field.new ?? undefined).slice(0, MOST_PATHS);
  return changes.map(({ path, old, new: now }) => row(path ? visible(path) : field.label, old, now));
}

function told({ action, entry, number, numbered }) {
  const title = `${SIGNS[action]} ${numbered ? `${number} · ` : ""}${changeTitle([entry])}`;
  const fields = entry.action === "update" ? entry.fields.flatMap(rows).slice(0, MOST_FIELDS) : [];
  return html("div", { class: "tip-mark" }, title, ...fields);
}

/** Elements for the marks under a point; one thing that moves and changes is told once. */
export function ghostTip(marks) {
  const once = new Map(marks.map((mark) => [`${mark.proposal.id} ${mark.kind} ${mark.key}`, mark]));
  return [...once.values()].slice(0, 4).map(told);
}
