// The fields of a form. Each has {element, input, get(), set(value)}; get() raises InvalidValue with what to do.

import { html } from "../../dom.js";
import { t } from "../../strings.js";
import { languageOf } from "../highlight.js";
import { CodeField } from "./code-field.js";

export class InvalidValue extends Error {}

let numbered = 0;

function labelled(label, input, ...more) {
  numbered += 1;
  input.id = `field-${numbered}`;
  return html("div", { class: "edit-field" }, html("label", { for: input.id }, label), input, ...more);
}

export function textControl(label, changed, attributes = {}) {
  const input = html("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes, oninput: changed });
  return {
    input,
    element: labelled(label, input),
    get: () => input.value.trim(),
    set: (value) => (input.value = value ?? ""),
  };
}

export function areaControl(label, changed) {
  const input = html("textarea", { rows: "8", oninput: changed });
  return { input, element: labelled(label, input), get: () => input.value, set: (value) => (input.value = value ?? "") };
}

/** `options`: [[value, text]]; a value that is none of them is kept as one more. */
export function choiceControl(label, options, changed) {
  const input = html("select", { onchange: changed }, ...options.map(([value, text]) => html("option", { value }, text)));
  const set = (value) => {
    if (![...input.options].some((option) => option.value === value)) input.append(html("option", { value }, value));
    input.value = value;
  };
  return { input, element: labelled(label, input), get: () => input.value, set };
}

/** A number, or null for nothing where that is `optional`. */
export function numberControl(label, changed, { optional = false, ...attributes } = {}) {
  const input = html("input", { type: "number", step: "any", inputmode: "decimal", ...attributes, oninput: changed });
  const get = () => {
    if (optional && input.value === "" && !input.validity.badInput) return null;
    const value = input.valueAsNumber;
    if (!Number.isFinite(value) || !input.checkValidity()) throw new InvalidValue(
      t("“{field}” is not a number that is possible here.", { field: label }),
    );
    return value;
  };
  return { input, element: labelled(label, input), get, set: (value) => (input.value = value ?? "") };
}

/** Code keeps the line ends it came with, which a textarea would change. */
export function codeControl(label, node, changed) {
  const field = new CodeField({ label, language: (code) => languageOf(code, node), changed });
  let returns = false;
  return {
    input: field.input,
    element: html("div", { class: "edit-field" }, html("span", { class: "edit-label" }, label), field.element),
    get: () => (returns ? field.value.replace(/\n/g, "\r\n") : field.value),
    set: (value) => {
      returns = (value ?? "").includes("\r\n");
      field.value = value ?? "";
    },
  };
}

/** A JSON object; says at once what is wrong with it. */
export function jsonControl(label, changed) {
  const problem = html("p", { class: "field-problem", role: "status" });
  const get = () => {
    const value = parsed(field.value.trim() || "{}");
    if (value === null || typeof value !== "object" || Array.isArray(value)) throw new InvalidValue(
      t("“{field}” must be an object: {…}", { field: label }),
    );
    return value;
  };
  const field = new CodeField({
    label,
    language: () => "json",
    changed: () => {
      problem.textContent = problemOf(get);
      changed();
    },
  });
  const set = (value) => {
    field.value = JSON.stringify(value ?? {}, null, 2);
    problem.textContent = "";
  };
  const element = html(
    "div",
    { class: "edit-field" },
    html("span", { class: "edit-label" }, label),
    field.element,
    problem,
  );
  return { input: field.input, element, get, set };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidValue(t("This is not JSON: {reason}", { reason: error.message }));
  }
}

function problemOf(get) {
  try {
    get();
    return "";
  } catch (error) {
    return error.message;
  }
}
