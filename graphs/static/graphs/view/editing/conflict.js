// Two people changed the same: both sides field by field, and which of them shall hold.

import { fieldChange } from "../../diff/field.js";
import { visible } from "../../diff/visible.js";
import { html } from "../../dom.js";
import { t } from "../../strings.js";
import { answers, opened } from "./dialogs.js";

const PLACE = ["posX", "posY", "sheet"];
/** What a field is called where an update has it under several names. */
const NAMES = { process: ["process", "processPatches"], data: ["data"] };

/**
 * Asks about `conflicts` (of the server) of `asked` {actions, seen}; there are `more`. Gives {actions, seen} that say what
 * the person decided, knowing what is there now; null when they let it be. `nameOf(object)` is what people call an item.
 */
export async function settled(root, conflicts, more, asked, nameOf) {
  const deleting = asked.actions.some(({ action }) => action.startsWith("delete"));
  const ask = deleting ? askToDeleteStill : askForSides;
  const decided = await ask(root, conflicts, more, nameOf);
  if (!decided) return null;
  const theirs = conflicts.filter((conflict) => decided.get(groupOf(conflict)) === "theirs");
  return {
    actions: asked.actions.map((action) => without(action, theirs)).filter(Boolean),
    seen: seenNow(asked.seen, conflicts),
  };
}

export function whoChanged(conflicts) {
  return [...new Set(conflicts.map(({ by }) => by || t("somebody")))].join(", ");
}

function groupOf({ object, field }) {
  return JSON.stringify([object.type, object.id, PLACE.includes(field) ? "place" : field]);
}

function seenNow(seen, conflicts) {
  const known = new Map(seen.map((one) => [JSON.stringify([one.type, one.id]), one]));
  for (const { object, version } of conflicts) {
    if (version !== null) known.set(JSON.stringify([object.type, object.id]), { ...object, version });
  }
  return [...known.values()];
}

/** The action without the fields that stay as the others have them; null where nothing is left of it. */
function without({ action, arguments: all }, theirs) {
  const about = theirs.filter(({ object }) => [all.nodeKey, all.edgeKey, all.sheetKey, all.typeKey].includes(object.id));
  const names = about.flatMap(({ field }) => NAMES[field] ?? [field]);
  if (action === "move_node") return names.some((name) => PLACE.includes(name)) ? null : { action, arguments: all };
  if (action === "update_edge") return names.includes("label") ? null : { action, arguments: all };
  const leave = (fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  if (action === "replace_data") return names.includes("data") ? null : { action, arguments: all };
  if (action === "update_node") {
    const updates = leave(all.updates);
    return Object.keys(updates).length ? { action, arguments: { ...all, updates } } : null;
  }
  const left = leave(all);
  const something = Object.keys(left).some((name) => !["mode", "typeKey", "sheetKey"].includes(name));
  return something ? { action, arguments: left } : null;
}

/** Says that further ones are asked about next; nothing where there are none. */
function rest(more) {
  return more ? [html("p", {}, t("and {count} more", { count: more }))] : [];
}

function askForSides(root, conflicts, more, nameOf) {
  const groups = Map.groupBy(conflicts, groupOf);
  const choices = [...groups].map(([group, found], index) => sideChoice(group, found, index, nameOf));
  const people = whoChanged(conflicts);
  return opened(
    root,
    t("{people} changed the same meanwhile", { people }),
    (close) => {
      const decide = () => close(new Map(choices.map(({ group, side }) => [group, side()])));
      const save = html("button", { type: "button", class: "button", onclick: decide }, t("Save this"));
      return [
        html("p", {}, t("Nothing was saved yet. Choose what shall hold.")),
        ...choices.map(({ element }) => element),
        ...rest(more),
        html("div", { class: "ask-answers" }, save, ...answers(close, [null, t("Back"), "quiet"]).children),
      ];
    },
    { wide: true },
  );
}

/** One field: from what they made of it to what is wanted here, and whose shall hold. */
function sideChoice(group, conflicts, index, nameOf) {
  const [{ object, by }] = conflicts;
  const name = `side-${index}`;
  const side = (value, text, checked) => html(
    "label",
    {},
    html("input", { type: "radio", name, value, checked }),
    html("span", {}, text),
  );
  const changes = conflicts.map(({ field, label, form, found, wanted, lines, cut }) =>
    fieldChange({ field, label, form, old: found, new: wanted, lines, cut }));
  const element = html(
    "fieldset",
    { class: "side-choice" },
    html("legend", { dir: "auto" }, visible(nameOf(object))),
    html("dl", { class: "diff" }, ...changes),
    html(
      "div",
      { class: "sides" },
      side("mine", t("Mine"), true),
      side("theirs", by ? t("That of {person}", { person: by }) : t("Theirs"), false),
    ),
  );
  return { group, element, side: () => element.querySelector("input:checked").value };
}

function askToDeleteStill(root, conflicts, more, nameOf) {
  const people = whoChanged(conflicts);
  const changes = conflicts.map(({ object, field, label, form, expected, found, by, lines, cut }) => html(
    "div",
    { class: "side-choice" },
    html("strong", { dir: "auto" }, visible(`${nameOf(object)} · ${by || t("somebody")}`)),
    field ? html("dl", { class: "diff" }, fieldChange({ field, label, form, old: expected, new: found, lines, cut })) : html(
      "p",
      {},
      t("This edge is new."),
    ),
  ));
  return opened(
    root,
    t("{people} changed meanwhile what you delete", { people }),
    (close) => {
      const still = [new Map(), t("Delete all the same"), "danger"];
      return [...changes, ...rest(more), answers(close, still, [null, t("Cancel"), "quiet"])];
    },
    { wide: true },
  );
}
