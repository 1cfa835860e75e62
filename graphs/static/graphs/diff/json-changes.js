// Two JSON values compared: which paths came, went or changed. Pure.

import { isObject } from "../merge-patch.js";

/** `[{path, old, new}]`; where a path came or went, the other side is undefined. */
export function jsonChanges(before, after) {
  return changesAt(before, after).map(({ steps, ...sides }) => ({ path: pathOf(steps), ...sides }));
}

/** `[{steps, old, new}]`, with the steps that lead there, {key}, {entry} or {at}, in the place of the path. */
export function changesAt(before, after, steps = []) {
  if (isObject(before) && isObject(after)) return ofObjects(before, after, steps);
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after, steps);
  return same(before, after) ? [] : [{ steps, old: before, new: after }];
}

/** Steps as one path. */
export function pathOf(steps) {
  const parts = steps.map(({ key, entry, at }) => (key === undefined ? `[${entry ?? at}]` : `.${key}`));
  return parts.join("").replace(/^\./, "");
}

function ofObjects(before, after, steps) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changesAt(own(before, name), own(after, name), [...steps, { key: name }]));
}

/** What entries of lists are known by, where all of them are. */
const NAMES = ["id", "axisId"];

/** By the names of the entries, where they have some and stand in one order. */
function ofLists(before, after, steps) {
  const name = NAMES.find((each) => [before, after].every((list) => areCalled(list, each)));
  if (!name) return ofPlaces(before, after, steps);
  const [old, now] = [before, after].map((list) => new Map(list.map((entry) => [entry[name], entry])));
  const [was, is] = [[old, now], [now, old]].map(([one, other]) => [...one.keys()].filter((each) => other.has(each)));
  return same(was, is) ? ofNamed(old, now, steps) : ofPlaces(before, after, steps);
}

function areCalled(list, name) {
  const names = list.map((entry) => (isObject(entry) ? own(entry, name) : undefined));
  return names.every((each) => typeof each === "string") && new Set(names).size === names.length;
}

function ofNamed(before, after, steps) {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((each) => changesAt(before.get(each), after.get(each), [...steps, { entry: each }]));
}

/** By place, past what both begin and end with, so that one entry more is told as one. */
function ofPlaces(before, after, steps) {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && same(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shortest - start && same(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => at).flatMap((at) =>
    changesAt(old[at], now[at], [...steps, { at: start + at }]));
}

function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function same(a, b) {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, at) => same(each, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}
