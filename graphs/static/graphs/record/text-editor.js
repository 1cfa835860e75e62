// A text in Markdown: written, and looked at as it will be shown.

import { html } from "../dom.js";
import { t } from "../strings.js";
import { counter } from "./counter.js";

export function textEditor(value, { label, limit }, raw = value ?? "") {
  const area = html("textarea", { rows: "6", "aria-label": label });
  area.value = raw;
  const preview = html("markdown-text", { class: "field-preview", dir: "auto", tabindex: "0", "aria-label": t("Preview"), hidden: true });
  const write = tab(t("Write"), () => look(false));
  const show = tab(t("Preview"), () => look(true));
  const look = (previewed) => {
    area.hidden = previewed;
    preview.hidden = !previewed;
    if (previewed) preview.textContent = area.value;
    write.setAttribute("aria-pressed", String(!previewed));
    show.setAttribute("aria-pressed", String(previewed));
    if (!previewed) area.focus();
  };
  write.setAttribute("aria-pressed", "true");
  const tabs = html("div", { class: "field-tabs", role: "group", "aria-label": t("Text in Markdown") }, write, show);
  return {
    element: html("div", {}, tabs, area, preview, counter(area, limit)),
    raw: () => area.value,
    value: () => area.value,
    focus: () => (area.hidden ? show : area).focus(),
  };
}

function tab(words, onclick) {
  return html("button", { type: "button", class: "button small", "aria-pressed": "false", onclick }, words);
}
