/* The two kinds of buttons that most views use. */

import { h } from "../elements.js";
import { icon } from "../icons.js";

/** A picture whose label is also its tooltip. */
export function iconButton(name, label, kind, click) {
  const looks = { class: `icon-button ${kind}`, type: "button", title: label, "aria-label": label };
  return h("button", { ...looks, on: { click } }, icon(name));
}

export function textButton(text, click, kind = "") {
  return h("button", { class: `button ${kind}`.trim(), type: "button", text, on: { click } });
}
