/* Shows markdown that may still be growing inside one element. Used by the message view, live and after a reload. */

import { MarkdownDocument } from "./markdown/document.js";
import { syncChildren } from "./markdown/render.js";

export class Markdown {
  /** `mentions` makes links of objects; without it they stay text. */
  constructor(element, mentions = null) {
    this.mentions = mentions;
    this.element = element;
    this.document = new MarkdownDocument();
    this.shown = [];
  }

  /** `text` is the whole text so far; `open` says that more is coming. */
  show(text, { open = false } = {}) {
    const nodes = this.document.update(text, { open });
    syncChildren(this.element, this.shown, nodes);
    this.shown = nodes;
    this.mentions?.fill(this.element);
  }
}
