/* The open conversation as a file: what is in it beside what was said, and the formats. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";

const FORMATS = [["json", "JSON"], ["md", "Markdown"], ["pdf", "PDF"]];

export class ExportLinks {
  /** `address` gives that of a file: (sessionId, {format, reasoning, tools}). */
  constructor(address) {
    this.address = address;
    this.session = null;
    this.reasoning = this.choice(t("Reasoning"));
    this.tools = this.choice(t("Tool calls"));
    this.links = FORMATS.map(([format, text]) => ({ format, link: h("a", { class: "button", download: "", text }) }));
    const words = h("span", { class: "export-title", text: t("Export this conversation") });
    const chosen = [this.reasoning, this.tools].map(({ label }) => label);
    const links = h("div", { class: "export-links" }, ...this.links.map(({ link }) => link));
    const looks = { class: "export", role: "group", "aria-label": words.textContent, hidden: true };
    this.element = h("div", looks, words, ...chosen, links);
  }

  choice(text) {
    const box = h("input", { type: "checkbox", checked: true, on: { change: () => this.point() } });
    return { box, label: h("label", {}, box, h("span", { text })) };
  }

  /** `session` is null before a conversation has begun. */
  update(session) {
    this.session = session;
    this.element.hidden = !session?.id;
    if (session?.id) this.point();
  }

  point() {
    const chosen = { reasoning: this.reasoning.box.checked, tools: this.tools.box.checked };
    for (const { format, link } of this.links) link.href = this.address(this.session.id, { format, ...chosen });
  }
}
