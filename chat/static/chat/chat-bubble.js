/* <chat-widget bubble>: a round button that opens the chat panel as a dialog.
 *
 * A closed one costs next to nothing: the panel is loaded when somebody is about to open it, and begins to read when it is
 * opened. Attributes, and what it tells the page and hears from it, are those of chat-widget.js.
 */

import { stylesheet } from "../graphs/stylesheet.js";
import { t } from "../graphs/strings.js";
import { h } from "./widget/elements.js";
import { icon } from "./widget/icons.js";
import { Memory } from "./widget/memory.js";
import { optionsOf } from "./widget/options.js";
import { bubbleCss } from "./widget/styles/bubble.js";
import { panelCss } from "./widget/styles/panel.js";

const NEWS = new Set(["ai:complete", "ai:error", "ai:question", "ai:tool_limit", "ai:proposal"]);
const closedSheets = [panelCss, bubbleCss].map(stylesheet);

/** What the panel is made of, null where it could not be loaded. */
function load() {
  return Promise.all([import("./widget/panel.js"), import("./widget/styles.js")]).catch(() => null);
}

class ChatBubble extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = closedSheets;
    Object.assign(this, { memory: new Memory(""), panel: null });
    this.build(root);
    this.label();
    if (this.memory.bubbleOpen) this.open();
  }

  disconnectedCallback() {
    this.panel?.stop();
    this.panel = null;
    this.shadowRoot.replaceChildren();
  }

  build(root) {
    this.news = h("span", { class: "news", hidden: true });
    const on = { click: () => this.open(), pointerenter: load, focus: load };
    const looks = { class: "bubble-button", type: "button", "aria-haspopup": "dialog", on };
    this.bubble = h("button", looks, icon("chat"), this.news);
    this.problem = h("div", { class: "bubble-problem", role: "alert" });
    const dialog = { class: "dialog", role: "dialog", "aria-label": t("Chat"), hidden: true };
    this.dialog = h("div", { ...dialog, on: { keydown: (event) => this.keyed(event) } });
    root.replaceChildren(this.bubble, this.problem, this.dialog);
  }

  put({ Panel }, { sheets }) {
    const panel = new Panel(optionsOf(this, () => this.close()));
    this.panel = panel;
    panel.addEventListener("event", ({ detail }) => this.announce(detail));
    panel.addEventListener("node", () => this.makeRoom());
    panel.addEventListener("wanted", () => this.dialog.hidden && this.open());
    this.shadowRoot.adoptedStyleSheets = sheets;
    this.dialog.append(panel.element);
  }

  async open() {
    this.bubble.ariaBusy = "true";
    const modules = await load();
    this.bubble.ariaBusy = null;
    if (!modules) this.offerReload();
    else if (this.isConnected) this.show(...modules);
  }

  /** A page does not ask again for a module that it could not load. */
  offerReload() {
    const reload = () => {
      this.memory.bubbleOpen = true;
      location.reload();
    };
    const button = h("button", { class: "button", type: "button", text: t("Reload the page"), on: { click: reload } });
    this.problem.replaceChildren(h("p", { text: t("The chat could not be loaded.") }), button);
  }

  show(code, styles) {
    const fresh = !this.panel;
    if (fresh) this.put(code, styles);
    this.dialog.hidden = false;
    this.bubble.hidden = true;
    this.news.hidden = true;
    this.memory.bubbleOpen = true;
    if (fresh) this.panel.start();
    this.panel.focus();
  }

  close() {
    this.dialog.hidden = true;
    this.bubble.hidden = false;
    this.memory.bubbleOpen = false;
    this.label();
    this.bubble.focus();
  }

  /** On a small screen the dialog covers what the reader asked to see. */
  makeRoom() {
    if (this.dialog.getBoundingClientRect().width >= innerWidth) this.close();
  }

  keyed(event) {
    if (event.key === "Escape" && !event.defaultPrevented) this.close();
  }

  announce({ type }) {
    if (!this.dialog.hidden || !NEWS.has(type)) return;
    this.news.hidden = false;
    this.label();
  }

  label() {
    const text = this.news.hidden ? t("Ask the assistant") : t("Ask the assistant (there is a new answer)");
    this.bubble.setAttribute("aria-label", text);
    this.bubble.title = text;
  }
}

customElements.define("chat-widget", ChatBubble);
