/* The bar at the top: which conversation, the state of the connection, a new one, and the close button of the bubble. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { connectionText } from "../words.js";

export class Header {
  /** `actions` are {menu, startNew, close?}. */
  constructor(actions) {
    this.name = h("span", { class: "title-text" });
    this.title = h(
      "button",
      { class: "title", type: "button", "aria-haspopup": "dialog", "aria-expanded": "false", title: t("Conversations"), on: { click: actions.menu } },
      this.name, icon("chevron"),
    );
    this.connection = h("span", { class: "connection-text" });
    const state = h("div", { class: "connection" }, h("span", { class: "dot" }), this.connection);
    const create = iconButton("plus", t("New conversation (Alt+N)"), "new-button", actions.startNew);
    const close = actions.close ? iconButton("close", t("Close (Esc)"), "close-button", actions.close) : null;
    this.element = h(
      "header",
      { class: "header" },
      h("div", { class: "avatar" }, icon("spark")),
      h("div", { class: "heading" }, h("h2", { class: "title-frame" }, this.title), state),
      create,
      close,
    );
  }

  update({ title, state, menuOpen }) {
    const name = title || t("New conversation");
    if (this.name.textContent !== name) this.name.textContent = name;
    this.title.setAttribute("aria-expanded", String(menuOpen));
    this.element.dataset.connection = state;
    const text = connectionText(state);
    if (this.connection.textContent !== text) this.connection.textContent = text;
  }
}

function iconButton(name, label, kind, click) {
  return h("button", { class: `icon-button ${kind}`, type: "button", title: label, "aria-label": label, on: { click } }, icon(name));
}
