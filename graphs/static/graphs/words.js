// Numbers, moments and values in the reader's language.

import { visible } from "./diff/visible.js";

export function language() {
  return document.documentElement.lang || undefined;
}

export function numberText(value) {
  return new Intl.NumberFormat(language()).format(value);
}

/** Day and time; "" for what is no moment. */
export function momentText(iso) {
  const then = Date.parse(iso);
  const style = { dateStyle: "medium", timeStyle: "short" };
  return Number.isNaN(then) ? "" : new Intl.DateTimeFormat(language(), style).format(then);
}

/** The beginning of a value, as people must see it. */
export function shortText(value, longest) {
  const text = visible(typeof value === "string" ? value : JSON.stringify(value) ?? "");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
