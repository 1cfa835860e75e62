/* <chat-widget>: the chat panel on a page. With `bubble` it is chat-bubble.js.
 *
 * Attributes: context-type, context-id, welcome, workspace, socket, api, user-name, may-edit. What it tells the page and
 * hears from it, on document, is in docs/widget.md.
 */

import { optionsOf } from "./widget/options.js";
import { Panel } from "./widget/panel.js";
import { sheets } from "./widget/styles.js";

class ChatWidget extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets;
    this.panel = new Panel(optionsOf(this));
    root.replaceChildren(this.panel.element);
    this.panel.start();
  }

  disconnectedCallback() {
    this.panel.stop();
    this.shadowRoot.replaceChildren();
  }
}

customElements.define("chat-widget", ChatWidget);
