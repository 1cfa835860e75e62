// Translations of what components say. The page hands them over as JSON in
// <script type="application/json" id="ui-strings">: {"English source": "translation"}.

import { numberText } from "./words.js";

let translations = null;

function load() {
  const element = document.getElementById("ui-strings");
  try {
    return JSON.parse(element?.textContent || "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * The text in the reader's language, the English source where there is none.
 * `{name}` in the text is replaced by `params.name`; an unknown name stays as it is. A number is written as the
 * reader's language writes it: what only names something, as a version does, is handed over as a text.
 */
export function t(source, params = {}) {
  translations ??= load();
  const text = Object.hasOwn(translations, source) ? String(translations[source]) : source;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(params, name) ? written(params[name]) : whole));
}

function written(param) {
  return typeof param === "number" ? numberText(param) : String(param);
}
