// Rows of lists about nodes: a name with a note below it, and lists that show more when they are asked to.

import { html } from "../dom.js";
import { t } from "../strings.js";

export function rowWords(name, note) {
  const words = { class: "words" };
  return html("span", words, html("span", { class: "row-name" }, name), html("span", { class: "row-note" }, note));
}

/** A list of these rows, `atOnce` of them at first. */
export function neighbourList(rows, atOnce) {
  const list = html("ul", { class: "rows neighbours" }, ...rows.slice(0, atOnce));
  const left = rows.length - atOnce;
  if (left <= 0) return list;
  const onclick = () => list.replaceChildren(...rows);
  const more = html("button", { type: "button", class: "link", onclick }, t("Show {count} more", { count: left }));
  list.append(html("li", {}, more));
  return list;
}
