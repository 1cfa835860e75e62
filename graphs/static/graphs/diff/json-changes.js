// Two JSON values compared: which paths came, went or changed. Pure.

import { isObject } from "../merge-patch.js";

/** `[{path, old, new}]`; where a path came or went, the other side is undefined. */
export function jsonChanges(before, after, path = "") {
  if (isObject(before) && isObject(after)) return ofObjects(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after, path);
  return same(before, after) ? [] : [{ path, old: before, new: after }];
}

function ofObjects(before, after, path) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => jsonChanges(own(before, name), own(after, name), path ? `${path}.${name}` : name));
}

/** What entries of lists are known by, where all of them are. */
const NAMES = ["id", "axisId"];

/** By the names of the entries, where they have some and stand in one order. */
function ofLists(before, after, path) {
  const name = NAMES.find((each) => [before, after].every((list) => areCalled(list, each)));
  if (!name) return ofPlaces(before, after, path);
  const [old, now] = [before, after].map((list) => new Map(list.map((entry) => [entry[name], entry])));
  const [was, is] = [[old, now], [now, old]].map(([one, other]) => [...one.keys()].filter((each) => other.has(each)));
  return same(was, is) ? ofNamed(old, now, path) : ofPlaces(before, after, path);
}

function areCalled(list, name) {
  const names = list.map((entry) => (isObject(entry) ? own(entry, name) : undefined));
  return names.every((each) => typeof each === "string") && new Set(names).size === names.length;
}

function ofNamed(before, after, path) {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((each) => jsonChanges(before.get(each), after.get(each), `${path}[${each}]`));
}

/** By place, past what both begin and end with, so that one entry more is told as one. */
function ofPlaces(before, after, path) {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && same(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shortest - start && same(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => at).flatMap((at) =>
    jsonChanges(old[at], now[at], `${path}[${start + at}]`));
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
