// By what a value is edited. Each editor has its `element`; `raw()` is what was typed and what another one begins with;
// `value()` is what is saved, and throws where there is none; `changed` says whether it is another than it was.

import { html } from "../dom.js";
import { t } from "../strings.js";
import { axesEditor } from "./axes-editor.js";
import { counter } from "./counter.js";
import { listEditor } from "./list-editor.js";
import { numberIn } from "./numbers.js";
import { scoresEditor } from "./scores-editor.js";
import { textEditor } from "./text-editor.js";

const EDITORS = {
  line: lineEditor,
  text: textEditor,
  choice: choiceEditor,
  texts: listEditor,
  scores: scoresEditor,
  axes: axesEditor,
  thresholds: thresholdsEditor,
  number: numberEditor,
  boolean: booleanEditor,
  json: jsonEditor,
};

/** `options`: label, limit, choices, axes. With `raw` it begins with what was typed before. */
export function editorOf(look, value, options, raw) {
  const make = EDITORS[look] ?? jsonEditor;
  const first = JSON.stringify(make(value, options).raw());
  const editor = raw === undefined ? make(value, options) : make(value, options, raw);
  Object.defineProperty(editor, "changed", { get: () => JSON.stringify(editor.raw()) !== first });
  return editor;
}

/** An editor of one control, whose text is `raw`. */
function ofControl(control, { element = control, value = () => control.value } = {}) {
  return { element, raw: () => control.value, value, focus: () => control.focus() };
}

function lineEditor(value, { label, limit }, raw = value ?? "") {
  const input = html("input", { type: "text", "aria-label": label });
  input.value = raw;
  return ofControl(input, { element: html("div", {}, input, counter(input, limit)) });
}

function choiceEditor(value, { label, choices }, raw = value ?? "") {
  const options = choices.map(([key, words]) => html("option", { value: key }, words));
  const select = html("select", { "aria-label": label }, ...options);
  select.value = raw;
  return ofControl(select);
}

function numberEditor(value, { label }, raw = value ?? "") {
  const input = html("input", { type: "number", step: "any", "aria-label": label });
  input.value = raw;
  return ofControl(input, { value: () => numberIn(input, label) });
}

function booleanEditor(value, { label }, raw = JSON.stringify(value ?? false)) {
  const yes = html("option", { value: "true" }, t("yes"));
  const select = html("select", { "aria-label": label }, yes, html("option", { value: "false" }, t("no")));
  select.value = raw;
  return ofControl(select, { value: () => select.value === "true" });
}

function jsonEditor(value, { label }, raw = value === null ? "" : JSON.stringify(value, null, 2)) {
  const area = html("textarea", { class: "code", rows: "8", spellcheck: "false", "aria-label": label });
  area.value = raw;
  return ofControl(area, { value: () => (area.value.trim() ? JSON.parse(area.value) : null) });
}

function thresholdsEditor(value, _options, raw = [value?.value ?? "", value?.complexity ?? ""]) {
  const inputs = [t("Value is high from"), t("Complexity is high from")].map((label, at) => {
    const input = html("input", { type: "number", min: "0", step: "any" });
    input.value = raw[at];
    return { input, words: label, label: html("label", { class: "field" }, label, input) };
  });
  const hint = html("p", { class: "hint" }, t("Without a number, from half of what a side can amount to."));
  return {
    element: html("div", { class: "field-pair" }, ...inputs.map(({ label }) => label), hint),
    raw: () => inputs.map(({ input }) => input.value),
    value: () => {
      const [value, complexity] = inputs.map(({ input, words }) => numberIn(input, words));
      return { value, complexity };
    },
    focus: () => inputs[0].input.focus(),
  };
}
