/* <markdown-text>: its text as conversations show theirs. Whoever changes the text changes what is shown. */

import { stylesheet } from "../graphs/stylesheet.js";
import { Markdown } from "./widget/markdown.js";
import { markdownCss } from "./widget/styles/markdown.js";

/** What the styles of texts take from the page. */
const sheet = stylesheet(`
:host {
  display: block;
  --c-muted: var(--text-muted); --c-border: var(--border); --c-primary: var(--primary); --c-code: var(--code-bg);
  --c-mono: var(--mono); --c-radius: var(--radius); --c-text: var(--text); --c-surface: var(--surface);
}
${markdownCss}
`);

class MarkdownText extends HTMLElement {
  #observer = new MutationObserver(() => this.#show());
  #markdown = null;

  connectedCallback() {
    if (!this.#markdown) {
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      const body = document.createElement("div");
      body.className = "markdown";
      body.dir = "auto";
      root.append(body);
      this.#markdown = new Markdown(body);
    }
    this.#observer.observe(this, { childList: true, characterData: true, subtree: true });
    this.#show();
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  #show() {
    this.#markdown.show(this.textContent);
  }
}

customElements.define("markdown-text", MarkdownText);
