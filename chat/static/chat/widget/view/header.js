/* The bar at the top: which conversation, the state of the connection, a new one, and how to close the bubble. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { connectionText, usageText, usageTitle } from "../words.js";
import { iconButton } from "./buttons.js";

export class Header {
  /** `actions` are {menu, startNew, close?}. */
  constructor(actions) {
    this.name = h("span", { class: "title-text" });
    const looks = { class: "title", type: "button", title: t("Conversations"), "aria-haspopup": "dialog" };
    this.title = h("button", { ...looks, on: { click: actions.menu } }, this.name, icon("chevron"));
    this.connection = h("span", { class: "connection-text" });
    this.usage = h("span", { class: "conversation-usage" });
    this.owner = h("span", { class: "shared-by" });
    const dot = h("span", { class: "dot" });
    const state = h("div", { class: "connection" }, dot, this.connection, this.owner, this.usage);
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

  /** `owner` is the name of the conversation's owner where that is somebody else. */
  update({ title, state, menuOpen, usage, owner }) {
    const name = title || t("New conversation");
    this.owner.textContent = owner ? t("Shared by {name}", { name: owner }) : "";
    if (this.name.textContent !== name) this.name.textContent = name;
    this.title.setAttribute("aria-expanded", String(menuOpen));
    this.element.dataset.connection = state;
    const text = connectionText(state);
    if (this.connection.textContent !== text) this.connection.textContent = text;
    const used = usageText(usage);
    if (this.usage.textContent === used) return;
    this.usage.textContent = used;
    this.usage.title = used && t("This conversation: {usage}", { usage: usageTitle(usage) });
  }
}
