// Numbers, moments and values in the reader's language.

import { startOf } from "./diff/first-difference.js";
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
  return clipped(asText(value), 0, longest);
}

/** The beginnings of two values, or what follows where they differ if that is further down. */
export function shortTexts(old, now, longest) {
  const both = [old, now].map(asText);
  const from = startOf(...both, longest);
  return both.map((text) => clipped(text, from, longest));
}

function asText(value) {
  return visible(typeof value === "string" ? value : JSON.stringify(value) ?? "");
}

function clipped(text, from, longest) {
  const shown = text.slice(from, from + longest);
  return `${from ? "…" : ""}${shown}${text.length > from + longest ? "…" : ""}`;
}
