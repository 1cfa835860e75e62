// A list of texts, one a line: Enter begins another, Backspace in an empty one takes it away.

import { html, iconButton, textButton } from "../dom.js";
import { ICONS } from "../icons.js";
import { t } from "../strings.js";

/** What stands before a line of a list. */
const BULLET = /^\s*[-*•]\s+/;

/** Of a text in the place of a list, each line is one of it. */
function textsOf(value) {
  if (Array.isArray(value)) return value.map(String);
  return value ? linesOf(String(value)).map((line) => line.replace(BULLET, "")) : [];
}

function linesOf(text) {
  return text.split(/\r?\n/).filter((line) => line.trim());
}

export function listEditor(value, { label }, raw = textsOf(value)) {
  const list = html("ol", { class: "field-lines" });
  /** Those whose text has breaks that belong to it. */
  const broken = new WeakSet();
  const areas = () => [...list.querySelectorAll("textarea")];
  const told = () => list.dispatchEvent(new Event("input", { bubbles: true }));
  const number = () => areas().forEach((area, at) => area.setAttribute("aria-label", t("{label}, line {number}", { label, number: at + 1 })));

  function line(text) {
    const area = html("textarea", { rows: "1" });
    area.value = text;
    if (text.includes("\n")) broken.add(area);
    const remove = iconButton(ICONS.bin, t("Remove this line"), () => away(area));
    area.addEventListener("keydown", (event) => keyed(event, area));
    area.addEventListener("paste", (event) => pasted(event, area));
    area.addEventListener("input", (event) => divided(event, area));
    return html("li", {}, area, remove);
  }

  function add(after, text = "") {
    const item = line(text);
    if (after) after.closest("li").after(item);
    else list.append(item);
    number();
    item.querySelector("textarea").focus();
    told();
    return item.querySelector("textarea");
  }

  function away(area) {
    const all = areas();
    const beside = all[all.indexOf(area) - 1] ?? all[all.indexOf(area) + 1];
    area.closest("li").remove();
    if (beside) beside.focus();
    else add(null);
    number();
    told();
  }

  function keyed(event, area) {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      add(area);
    } else if (event.key === "Backspace" && area.value === "" && areas().length > 1) {
      event.preventDefault();
      away(area);
    }
  }

  /** Several lines are several texts. */
  function pasted(event, area) {
    const lines = linesOf(event.clipboardData.getData("text"));
    if (lines.length < 2) return;
    event.preventDefault();
    const rest = area.value.slice(area.selectionEnd);
    area.value = area.value.slice(0, area.selectionStart) + lines[0];
    const last = lines.slice(1).reduce((after, text) => add(after, text), area);
    last.value += rest;
    told();
  }

  /** So are those that come otherwise, as by dictation; a break that somebody types with Shift + Enter stays within a text. */
  function divided({ inputType }, area) {
    if (inputType === "insertLineBreak") broken.add(area);
    const lines = linesOf(area.value);
    if (lines.length < 2 || broken.has(area)) return;
    area.value = lines[0];
    lines.slice(1).reduce((after, text) => add(after, text), area);
  }

  list.append(...(raw.length ? raw : [""]).map(line));
  number();
  const texts = () => areas().map((area) => area.value).filter((text) => text.trim());
  return {
    element: html("div", {}, list, textButton(t("Add a line"), () => add(areas().at(-1)))),
    raw: texts,
    value: texts,
    focus: () => areas().at(-1)?.focus(),
  };
}
