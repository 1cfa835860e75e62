/* One tool call as a badge that opens to its arguments and result. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { objectOf, toolBadge, toolSubject, writtenSize } from "../toolcalls.js";

const CUT = 2_000;

export class ToolBadge {
  constructor(id, mentions) {
    this.call = null;
    this.open = false;
    this.mentions = mentions;
    const details = `tool-${id}`;
    this.mark = h("span", { class: "tool-mark" });
    this.name = h("span", { class: "tool-name" });
    this.subject = h("span", { class: "tool-subject" });
    this.status = h("span", { class: "unseen" });
    const click = () => this.toggle();
    this.badge = h(
      "button",
      { class: "tool-badge", type: "button", "aria-expanded": "false", "aria-controls": details, on: { click } },
      this.mark, this.name, this.subject, this.status, icon("chevron"),
    );
    this.details = h("div", { class: "tool-details", id: details, hidden: true });
    this.element = h("div", { class: "tool" }, this.badge, this.details);
  }

  update(call) {
    if (call === this.call) return;
    this.call = call;
    this.element.dataset.status = call.status;
    const [own, words] = toolBadge(call);
    const sign = { error: "warning", stopped: "stop" }[call.status] ?? own;
    this.mark.replaceChildren(call.status === "running" ? h("span", { class: "spinner" }) : icon(sign));
    this.name.textContent = words;
    this.subject.textContent = toolSubject(call) || writtenSize(call);
    this.status.textContent = statusText(call.status);
    this.badge.title = call.name;
    const object = objectOf(call.args);
    if (object && !call.result?.title) {
      this.subject.dataset.mention = object;
      this.mentions?.fill(this.badge);
    } else delete this.subject.dataset.mention;
    if (this.open) this.fill();
  }

  toggle() {
    this.open = !this.open;
    this.details.hidden = !this.open;
    this.element.classList.toggle("open", this.open);
    this.badge.setAttribute("aria-expanded", String(this.open));
    if (this.open) this.fill();
  }

  fill() {
    const { args, argsText, result, status } = this.call;
    const given = argsText || args;
    const running = h("p", { class: "muted", text: t("Running…") });
    const answer = status === "running" ? running : section(t("Result"), result);
    this.details.replaceChildren(section(t("Arguments"), given), answer);
  }
}

function section(title, value) {
  const text = pretty(value);
  const code = h("pre", { tabIndex: 0 }, h("code", { text: text.slice(0, CUT) }));
  const part = h("div", { class: "tool-part" }, h("h4", { text: title }), code);
  if (text.length > CUT) {
    const more = h("button", { class: "link", type: "button", text: t("Show all") });
    more.addEventListener("click", () => {
      code.firstChild.textContent = text;
      more.remove();
    });
    part.append(more);
  }
  return part;
}

/** JSON indented, also where it arrived as text; other text as it is. */
function pretty(value) {
  if (value === undefined || value === null) return t("nothing");
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

function statusText(status) {
  switch (status) {
    case "running": return t("running");
    case "error": return t("failed");
    case "stopped": return t("interrupted");
    default: return t("done");
  }
}
