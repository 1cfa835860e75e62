// The handles of a node or a type as rows of fields: side, direction, id, label, what it accepts.

import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { InvalidValue } from "./controls.js";

const SIDES = ["L", "R", "T", "B"];
const SIDE_NAMES = { R: () => t("right"), L: () => t("left"), T: () => t("top"), B: () => t("bottom") };

/** The control (see controls.js) of `{side: [{id, type, accept, label?}]}`. */
export function handlesControl(changed) {
  const list = html("ul", { class: "edit-handles" });
  const add = html("button", { type: "button", class: "link" }, t("Add a handle"));
  add.addEventListener("click", () => {
    const taken = new Set(rows().map((row) => row.id.value));
    let number = 0;
    while (taken.has(`R-${number}`)) number += 1;
    append("R", { id: `R-${number}`, type: "out", accept: "any" });
    changed();
    list.lastElementChild.querySelector("select").focus();
  });

  function rows() {
    return [...list.children].map((row) => row.fields);
  }

  function append(side, handle) {
    const row = handleRow(side, handle, changed, () => {
      row.remove();
      changed();
      add.focus();
    });
    list.append(row);
  }

  return {
    input: add,
    element: html("div", { class: "edit-field" }, list, add),
    get: () => collected(rows()),
    set: (value) => {
      list.replaceChildren();
      for (const side of SIDES) for (const handle of value?.[side] ?? []) append(side, handle);
    },
  };
}

function handleRow(side, handle, changed, removed) {
  const text = (value, label) => html("input", {
    type: "text", value: value ?? "", "aria-label": label, placeholder: label, maxlength: "100", oninput: changed,
    spellcheck: "false",
  });
  const choice = (value, options, label) => html(
    "select",
    { "aria-label": label, onchange: changed },
    ...options.map(([key, name]) => html("option", { value: key, selected: key === value }, name)),
  );
  const fields = {
    side: choice(side, SIDES.map((key) => [key, SIDE_NAMES[key]()]), t("Side")),
    type: choice(handle.type === "in" ? "in" : "out", [["in", t("in")], ["out", t("out")]], t("Direction")),
    id: text(handle.id, t("Id")),
    label: text(handle.label, t("Label")),
    accept: text(handle.accept, t("Accepts")),
  };
  const remove = iconButton(ICONS.close, t("Remove this handle"), removed);
  const row = html("li", {}, fields.side, fields.type, fields.id, fields.label, fields.accept, remove);
  row.fields = fields;
  return row;
}

function collected(rows) {
  const found = {};
  const ids = new Set();
  for (const { side, type, id, label, accept } of rows) {
    const name = id.value.trim();
    if (!name) throw new InvalidValue(t("Every handle needs an id."));
    const named = `${type.value} ${name}`;
    if (ids.has(named)) throw new InvalidValue(t("Two handles of the same direction have the id “{id}”.", { id: name }));
    ids.add(named);
    const entry = { id: name, type: type.value, accept: accept.value.trim() };
    if (label.value.trim()) entry.label = label.value.trim();
    (found[side.value] ??= []).push(entry);
  }
  return found;
}
