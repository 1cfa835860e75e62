/* The line above the first message that the model is still sent: what stands for those before it, to be opened. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { momentText } from "../words.js";

export class SummaryLine {
  constructor() {
    this.summary = null;
    this.text = h("div", { class: "summary-text", dir: "auto" });
    this.about = h("p", { class: "summary-about" });
    const words = t("Earlier messages are summarised for the model");
    const head = h("summary", {}, h("span", {}, icon("list"), `\u00a0${words}\u00a0`, icon("chevron")));
    this.element = h("details", { class: "summarised" }, head, this.about, this.text);
  }

  /** The elements with the line before that of the first message which is still sent as it is. */
  among(elements, summary, hasOlder) {
    if (!summary) return elements;
    this.update(summary);
    const at = elements.findIndex((element) => element.dataset.id === summary.before);
    if (at < 0) return hasOlder ? elements : [...elements, this.element];
    return [...elements.slice(0, at), this.element, ...elements.slice(at)];
  }

  update(summary) {
    if (summary === this.summary) return;
    this.summary = summary;
    this.element.title = momentText(summary.createdAt);
    this.about.textContent = t("You still see every message. The model gets this instead, and can look them up.");
    this.text.textContent = summary.content;
  }
}
