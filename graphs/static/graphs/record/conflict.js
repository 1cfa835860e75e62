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
    html("div", { class: "field-sides" }, ...sidesOf(found, mine, words)),
    html("div", { class: "actions" }, textButton(t("Keep theirs"), keepTheirs), textButton(t("Use mine"), useMine)),
  );
}

/** Both sides, with what differs marked and in sight. */
function sidesOf(found, mine, words) {
  const [theirs, own] = [found, mine].map((value) => (isNothing(value) ? "" : visible(valueText(value, words))));
  const marked = theirs && own ? differing(theirs, own) : [null, null];
  return [side(t("Theirs"), theirs, marked[0]), side(t("Mine"), own, marked[1])];
}

/** `marked` is where what differs begins and ends in the text, if that is known. */
function side(title, text, marked) {
  const shown = html("div", { class: "field-side", dir: "auto", tabindex: "0" }, text || t("nothing"));
  if (marked) {
    const [begin, end] = marked;
    const mark = html("mark", {}, text.slice(begin, end));
    shown.replaceChildren(text.slice(0, begin), mark, text.slice(end));
    requestAnimationFrame(() => (shown.scrollTop = Math.max(0, mark.offsetTop - shown.offsetTop - shown.clientHeight / 3)));
  }
  return html("div", {}, html("h3", {}, title), shown);
}

/** [begin, end] of what differs in each of two texts, in whole words; what one of them lacks is an empty stretch. */
function differing(one, other) {
  const [a, b] = [one, other].map((text) => text.split(/(?<=\s)|(?=\s)/));
  const shortest = Math.min(a.length, b.length);
  let start = 0;
  while (start < shortest && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shortest - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [a, b].map((words) => {
    const begin = words.slice(0, start).join("").length;
    return [begin, begin + words.slice(start, words.length - end).join("").length];
  });
}

function isNothing(value) {
  return value === null || value === undefined || value === "";
}
