// <prompt-diff>: what differs between two versions of a prompt; the page brings it as JSON in #prompt-diff-data.

import { diffList, diffSheet } from "../graphs/diff.js";

class PromptDiff extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [diffSheet];
    root.replaceChildren(diffList(JSON.parse(document.getElementById("prompt-diff-data").textContent)));
  }
}

customElements.define("prompt-diff", PromptDiff);
