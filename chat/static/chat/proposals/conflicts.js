/* What was changed meanwhile: expected and found, field by field; as a list, or to choose from. */

import { visible } from "../../graphs/diff.js";
import { valueText } from "../../graphs/diff/value-text.js";
import { t } from "../../graphs/strings.js";
import { shortTexts } from "../../graphs/words.js";
import { h } from "../widget/elements.js";
import { momentText } from "../widget/words.js";

/** What is longer, or has lines, stands in a block of its own. */
const LONGEST_IN_LINE = 80;
const LONGEST = 2_000;
const MOST = 20;

/** `conflicts` are `[{object, field, expected, found, label?, fieldLabel?, code?, detail?, changedBy?, changedAt?}]`. */
export function conflictList(conflicts) {
  if (conflicts.length === 0) return null;
  const items = conflicts.slice(0, MOST).map((conflict) => h("li", {}, ...sentences(conflict)));
  if (conflicts.length > MOST) items.push(h("li", { text: t("and {count} more", { count: conflicts.length - MOST }) }));
  return h("ul", { class: "conflicts" }, ...items);
}

/** The first of `count` conflicts with a box before each; `chosen()` gives `[{object, field}]`. */
export function conflictChoice(conflicts, count = conflicts.length) {
  const rows = conflicts.map((conflict) => {
    const box = h("input", { type: "checkbox", checked: true });
    const words = h("span", {}, ...sentences(conflict));
    return { box, conflict, element: h("label", { class: "conflict" }, box, words) };
  });
  const rest = count - conflicts.length;
  const more = rest > 0 ? h("small", { text: t("and {count} more", { count: rest }) }) : "";
  const element = h("div", { class: "conflicts" }, ...rows.map((row) => row.element), more);
  const chosen = () =>
    rows.filter(({ box }) => box.checked).map(({ conflict: { object, field } }) => ({ object, field }));
  return { element, chosen };
}

function sentences(conflict) {
  const { object, field, label, fieldLabel, changedBy, changedAt } = conflict;
  const name = [label || object.id, fieldLabel || field].filter(Boolean).join(" · ");
  const what = h("strong", { dir: "auto", text: visible(name) });
  const by = changedBy ? t("changed by {who}, {when}", { who: changedBy, when: momentText(changedAt) }) : "";
  return [what, " ", difference(conflict), by ? h("small", { text: ` ${by}` }) : ""];
}

function difference({ field, expected, found, code, detail, ...words }) {
  if (detail && code !== "changed") return visible(detail);
  // A field that nothing stands in is there: only an item comes and goes.
  if (!field && found === null) return t("is gone");
  if (!field && expected === null) return t("is there already");
  const told = [expected, found].map((value) => (value === null ? "" : valueText(value, words)));
  const sides = shortTexts(...told, LONGEST).map((text) => text || t("empty"));
  if (sides.some((text) => text.length > LONGEST_IN_LINE || text.includes("\n"))) return blocks(sides);
  return t("was {expected}, is {found}", { expected: sides[0], found: sides[1] });
}

function blocks([was, is]) {
  return h("span", { class: "conflict-sides", dir: "auto" }, h("del", { text: was }), h("ins", { text: is }));
}
