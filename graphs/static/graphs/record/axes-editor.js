// The axes of one side of a matrix: names, weights, and what each rating is called and gives.

import { html, textButton } from "../dom.js";
import { t } from "../strings.js";
import { NoValue, numberIn } from "./numbers.js";

const RATINGS = [1, 2, 3, 4, 5];
const LONGEST_ID = 60;

const axesOf = (value) => (Array.isArray(value) ? value : []);

export function axesEditor(value, { label }, raw = axesOf(value)) {
  const list = html("ol", { class: "field-axes" });
  let rows = [];
  const told = () => list.dispatchEvent(new Event("input", { bubbles: true }));
  const put = (axis) => {
    const made = row(axis, () => {
      rows = rows.filter((each) => each !== made);
      made.element.remove();
      (rows.at(-1) ?? { focus: () => more.focus() }).focus();
      told();
    });
    rows.push(made);
    list.append(made.element);
    return made;
  };
  const more = textButton(t("Add an axis"), () => {
    put({ name: "", weight: 1 }).focus();
    told();
  });
  for (const axis of raw) put(axis);
  const axes = () => {
    const taken = new Set(rows.map(({ id }) => id).filter(Boolean));
    return rows.map((each) => each.axis(taken));
  };
  return {
    element: html("div", { role: "group", "aria-label": label }, list, more),
    raw: axes,
    value: () => {
      for (const each of rows) each.refuse();
      return axes();
    },
    focus: () => (rows[0] ?? { focus: () => more.focus() }).focus(),
  };
}

function row(axis, remove) {
  const name = input("text", axis.name, t("Name of the axis"));
  const weight = input("number", axis.weight ?? 1, t("Weight"), { min: "0", step: "any" });
  const known = new Map((axis.levels ?? []).map((level) => [level.rating, level]));
  const levels = RATINGS.map((rating) => level(rating, known.get(rating)));
  const summary = html("summary", {}, t("Levels"));
  const hint = html("p", { class: "hint" }, t("Without points a level counts nothing; without any level a rating gives as many points as it is."));
  const details = html("details", {}, summary, hint, ...levels.map(({ element }) => element));
  const away = textButton(t("Remove this axis"), remove);
  return {
    id: axis.id,
    element: html("li", {}, html("div", { class: "field-pair" }, name.element, weight.element), details, away),
    focus: () => name.control.focus(),
    axis: (taken) => {
      const made = { ...axis, id: axis.id || idFor(name.control.value, taken), name: name.control.value };
      const some = levels.map((each) => each.level()).filter(Boolean);
      if (some.length || axis.levels) made.levels = some;
      return { ...made, weight: numberOf(weight.control) };
    },
    refuse: () => {
      const called = name.control.value || axis.id || t("Name of the axis");
      if (numberIn(weight.control, t("{name}: {text}", { name: called, text: t("Weight") })) === null) {
        throw new NoValue(t("{name}: a weight is missing. With 0 the axis counts nothing.", { name: called }));
      }
      for (const each of levels) each.refuse(called);
    },
  };
}

function level(rating, known) {
  const label = input("text", known?.label ?? "", t("Level {rating}", { rating }));
  const points = input("number", known?.points ?? "", t("Points"), { min: "0", step: "any" });
  return {
    element: html("div", { class: "field-pair" }, label.element, points.element),
    refuse: (name) => numberIn(points.control, t("{name}: {text}", { name, text: `${t("Points")} (${rating})` })),
    level: () => {
      const given = numberOf(points.control);
      return given === null && !label.control.value ? null : { ...known, rating, label: label.control.value, points: given ?? 0 };
    },
  };
}

function input(type, value, label, attributes = {}) {
  const control = html("input", { type, ...attributes });
  control.value = value;
  return { control, element: html("label", { class: "field" }, label, control) };
}

/** An id that no other axis has, made of the name. */
function idFor(name, taken) {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase();
  const stem = plain.slice(0, LONGEST_ID - 4) || "axis";
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}-${number}`;
  taken.add(id);
  return id;
}

/** What stands there, as a number if it is one. */
function numberOf(control) {
  return control.value === "" ? null : control.valueAsNumber;
}
