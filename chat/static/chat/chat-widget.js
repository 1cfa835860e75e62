/* <chat-widget>: the chat panel on a page, or with `bubble` a round button that opens it as a dialog.
 *
 * Attributes: context-type, context-id, welcome, workspace, socket, api, user-name, may-edit, bubble. What it tells the page and
 * hears from it, on document, is in docs/widget.md.
 */

import { t } from "../graphs/strings.js";
import { h } from "./widget/elements.js";
import { icon } from "./widget/icons.js";
import { Memory } from "./widget/memory.js";
import { Panel } from "./widget/panel.js";
import { sheets } from "./widget/styles.js";

const NO_WELCOME = { invitation: "", placeholder: "", questions: [] };
const NEWS = new Set(["ai:complete", "ai:error", "ai:question", "ai:tool_limit", "ai:proposal"]);

class ChatWidget extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets;
    this.panel = new Panel(this.options());
    this.started = false;
    if (this.hasAttribute("bubble")) this.showBubble(root);
    else {
      root.replaceChildren(this.panel.element);
      this.start();
    }
  }

  disconnectedCallback() {
    this.panel.stop();
    this.shadowRoot.replaceChildren();
  }

  options() {
    const type = this.getAttribute("context-type");
    const id = this.getAttribute("context-id");
    return {
      context: type && id ? { type, id } : null,
      workspace: this.getAttribute("workspace") ?? "",
      socket: this.getAttribute("socket") ?? "/ws/chat/",
      api: this.getAttribute("api") ?? "/api/v1/",
      userName: this.getAttribute("user-name") ?? "",
      mayEdit: this.hasAttribute("may-edit"),
      welcome: { ...NO_WELCOME, ...JSON.parse(this.getAttribute("welcome") ?? "{}") },
      stream: document.querySelector("[data-stream]")?.dataset.stream ?? "",
      close: this.hasAttribute("bubble") ? () => this.close() : undefined,
    };
  }

  /** The panel begins to read when it is opened, so that a closed bubble costs nothing. */
  start() {
    if (this.started) return;
    this.started = true;
    this.panel.start();
  }

  showBubble(root) {
    this.memory = new Memory("");
    this.news = h("span", { class: "news", hidden: true });
    this.bubble = h(
      "button",
      { class: "bubble-button", type: "button", "aria-haspopup": "dialog", on: { click: () => this.open() } },
      icon("chat"), this.news,
    );
    const looks = { class: "dialog", role: "dialog", "aria-label": t("Chat"), hidden: true };
    this.dialog = h("div", { ...looks, on: { keydown: (event) => this.keyed(event) } }, this.panel.element);
    root.replaceChildren(this.bubble, this.dialog);
    this.panel.addEventListener("event", ({ detail }) => this.announce(detail));
    this.panel.addEventListener("node", () => this.makeRoom());
    this.panel.addEventListener("wanted", () => this.dialog.hidden && this.open());
    this.label();
    if (this.memory.bubbleOpen) this.open();
  }

  open() {
    this.dialog.hidden = false;
    this.bubble.hidden = true;
    this.news.hidden = true;
    this.memory.bubbleOpen = true;
    this.start();
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

customElements.define("chat-widget", ChatWidget);
