// Changes as people read them: what comes, goes or changes, item by item (`graphs.history.diffs`). For proposals, the history,
// conflicts and previews; whoever shows it adopts `diffSheet`.

import { fieldChange, placeChange } from "./diff/field.js";
import { diffSheet } from "./diff/styles.js";
import { actionText, kindText, labelOf, SIGNS } from "./diff/words.js";
import { html } from "./dom.js";
import { t } from "./strings.js";

export { visible } from "./diff/visible.js";
export { changeTitle, isPage, proposalTitle } from "./diff/words.js";
export { diffSheet };

const FIRST = 50;
/** What an edge is called says these. */
const ENDS = ["source", "target"];
/** More entries than this stand closed. */
const OPEN = 12;

/** Entries `{object: {type, id}, kindLabel, kindPlural?, label, action, fields: [{field, label, form, old, new, lines?}]}`; many in steps. */
export function diffList(entries) {
  const list = html("div", { class: "diff" });
  const open = entries.length <= OPEN;
  const show = (from, to) => list.append(...entries.slice(from, to).map((entry) => diffEntry(entry, open)));
  show(0, FIRST);
  if (entries.length > FIRST) {
    const button = html("button", { type: "button", class: "diff-more" });
    button.append(t("Show {count} more", { count: entries.length - FIRST }));
    button.addEventListener("click", () => {
      button.remove();
      show(FIRST, entries.length);
      list.children[FIRST].querySelector("summary")?.focus();
    });
    list.append(button);
  }
  return list;
}

/** Of a very long diff only the beginning is sent: how many entries are missing. */
export function unshown(count) {
  return count > 0 ? html("p", { class: "diff-rest" }, t("and {count} more", { count })) : "";
}

/** What was deleted stands closed: its fields are all of what it was. */
function diffEntry(entry, open) {
  const fields = shownFields(entry);
  const head = [
    html("span", { class: "diff-sign", "aria-hidden": "true" }, SIGNS[entry.action]),
    html("span", { class: "diff-label", dir: "auto" }, labelOf(entry)),
    html("span", { class: "diff-kind" }, `${kindText(entry)}, ${actionText(entry)}`),
  ];
  const looks = { class: "diff-item", "data-action": entry.action };
  if (fields.length === 0) return html("div", looks, html("div", { class: "diff-head" }, ...head));
  const shown = open && entry.action !== "delete";
  const details = html("details", { ...looks, open: shown }, html("summary", { class: "diff-head" }, ...head));
  const fill = () => details.childElementCount > 1 || details.append(html("dl", {}, ...fields.map((build) => build())));
  if (shown) fill();
  details.addEventListener("toggle", fill);
  return details;
}

/** What builds each line; the two halves of a place are one, and of what is new or gone no more than there is to tell. */
function shownFields({ action, fields, object }) {
  const named = object.type === "edge" ? ENDS : [];
  const tells = (field) => holdsSomething(field, action) && !named.includes(field.field);
  const told = action === "update" ? fields : fields.filter(tells);
  const [x, y] = ["posX", "posY"].map((name) => told.find(({ field }) => field === name));
  return told.flatMap((field) => {
    if (x && y && field === y) return [];
    return [x && y && field === x ? () => placeChange(x, y) : () => fieldChange(field)];
  });
}

function holdsSomething({ old, new: now, cut }, action) {
  if (cut) return true;
  const value = action === "create" ? now : old;
  if (value === null || value === undefined || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
