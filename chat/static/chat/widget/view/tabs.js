/* The two sides of the panel: the conversation, and what runs or waits in the workspace. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { QueueTab } from "./queue-tab.js";

const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };

export class Tabs {
  /** `panel` has the element whose `data-tab` says which side is shown. */
  constructor(panel, options) {
    this.panel = panel;
    this.queue = new QueueTab(panel, options);
    this.buttons = { chat: this.button("chat", t("Conversation")), queue: this.button("queue", t("Queue")) };
    const label = { role: "tablist", "aria-label": t("What is shown"), on: { keydown: (event) => this.keyed(event) } };
    this.element = h("div", { class: "tabs", ...label }, ...Object.values(this.buttons));
    this.shown = "";
  }

  button(name, text) {
    return h("button", { class: "tab", type: "button", role: "tab", text, on: { click: () => this.show(name) } });
  }

  show(name) {
    if (name === this.shown) return;
    this.shown = name;
    this.panel.element.dataset.tab = name;
    for (const [each, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-selected", String(each === name));
      button.tabIndex = each === name ? 0 : -1;
    }
    if (name === "queue") this.queue.show();
    else this.queue.hide();
  }

  keyed(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const names = Object.keys(this.buttons);
    this.show(names[(names.indexOf(this.shown) + step + names.length) % names.length]);
    this.buttons[this.shown].focus();
  }
}
