// Values as people read them: keys by the titles of what they lead to, entries of lists by theirs (`graphs.history.value_words`).

import { isObject } from "../merge-patch.js";
import { t } from "../strings.js";

/** What entries of lists are known by. */
const IDS = ["id", "axisId"];

/** A value as a text; `words` may have `titles` of keys and ids, and `names` of the keys of entries. */
export function valueText(value, words = {}) {
  if (typeof value === "string") return called(words.titles?.[value], value);
  if (Array.isArray(value) && value.length && value.every((each) => typeof each === "string")) return value.join("\n");
  if (Array.isArray(value) && value.length && words.names && value.every(isObject)) {
    return value.map((entry) => entryText(entry, words)).join("\n");
  }
  if (isObject(value) && words.names) return partsText(value, words);
  return JSON.stringify(value, null, 2) ?? "";
}

/** What a key leads to, by its title if the server says it; two of one title differ by their keys. */
export function called(title, key) {
  return title ? `${title} (${key})` : key;
}

/** Where in a value something is, from the steps that lead there: [{entry} or {key} or {at}]. */
export function pathText(steps, { titles = {}, names = {} }) {
  const words = steps.map(({ entry, key, at }) => {
    if (entry !== undefined) return titles[entry] ?? entry;
    return key === undefined ? String(at + 1) : names[key] ?? key;
  });
  if (words.length < 2 || steps[0].entry === undefined) return words.join(" ");
  return t("{name}: {text}", { name: words[0], text: words.slice(1).join(" ") });
}

/** One entry of a list: its title, and what it has. */
function entryText(entry, words) {
  const id = IDS.map((name) => entry[name]).find((each) => typeof each === "string");
  const text = partsText(entry, words);
  if (id === undefined) return text;
  const name = words.titles?.[id] ?? id;
  return text ? t("{name}: {text}", { name, text }) : name;
}

/** What an entry has beside its id, each with its name. */
function partsText(entry, words) {
  const title = words.titles?.[entry.id];
  const parts = Object.entries(entry).filter(([key, value]) => !IDS.includes(key) && ![null, "", title].includes(value));
  return parts.map(([key, value]) => `${words.names?.[key] ?? key} ${inLine(value, words)}`).join(", ");
}

function inLine(value, words) {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every(isObject)) return value.map((each) => `(${partsText(each, words)})`).join(" ");
  return JSON.stringify(value);
}
