// What the form of a node holds: its fields, their values, and the updates that saving them means.

import { html } from "../../dom.js";
import { mergePatch } from "../../merge-patch.js";
import { t } from "../../strings.js";
import { noteField } from "../canvas/draw-note.js";
import {
  areaControl, choiceControl, codeControl, jsonControl, numberControl, textControl,
} from "./controls.js";
import { handlesControl } from "./handles.js";

const DIRECT = ["name", "type", "process", "handles", "width", "height"];
const PLACE = ["posX", "posY", "sheet"];

export function valuesOf({ node, note }) {
  const { name, type, sheet, process, data, handles, posX, posY, width, height } = node;
  const all = { name, sheet, posX, posY, width, height };
  if (note) return { ...all, text: noteField(node) === "process" ? process : (data?.[noteField(node)] ?? "") };
  return { ...all, type, process, data: data ?? {}, handles: handles ?? {} };
}

/** The controls of a node by the names of its fields; `types` are [[key, title]]. */
export function controlsOf({ node, note }, model, types, changed) {
  const sheets = [...model.sheets.values()].map(({ key, name }) => [key, name]);
  const size = (value) => ({ optional: value === null, min: 1, max: 100_000, placeholder: t("automatic") });
  const controls = {
    name: textControl(t("Name"), changed, { maxlength: "200" }),
    sheet: choiceControl(t("Sheet"), sheets, changed),
    posX: numberControl(t("x"), changed),
    posY: numberControl(t("y"), changed),
    width: numberControl(t("Width"), changed, size(node.width)),
    height: numberControl(t("Height"), changed, size(node.height)),
  };
  if (note) return { ...controls, text: areaControl(t("Text"), changed) };
  return {
    ...controls,
    type: choiceControl(t("Type"), types, changed),
    process: codeControl(t("Code"), node, changed),
    data: jsonControl(t("Data"), changed),
    handles: handlesControl(changed),
  };
}

/** The controls as they stand in the panel, with the edges in the middle. */
export function arranged(controls, severalSheets, edges) {
  const { name, type, sheet, text, process, data, handles, posX, posY, width, height } = controls;
  const place = html("div", { class: "edit-row" }, posX.element, posY.element, width.element, height.element);
  return [
    name.element,
    type?.element,
    severalSheets ? sheet.element : null,
    text?.element,
    process?.element,
    data?.element,
    edges,
    handles ? folded(t("Handles"), handles.element) : null,
    folded(t("Position and size"), place),
  ].filter(Boolean);
}

function folded(title, content) {
  return html("details", { class: "edit-more" }, html("summary", {}, title), content);
}

/**
 * The actions that save `changes` {field: value} of a node; `base` are the values from before. Of data only what differs
 * is sent, so that what others change in it stays; but a merge patch cannot set null.
 */
export function actionsOf(node, changes, base) {
  const actions = [];
  const updates = Object.fromEntries(DIRECT.filter((name) => name in changes).map((name) => [name, changes[name]]));
  const patch = "data" in changes ? mergePatch(base.data, changes.data) : null;
  if (patch) updates.data = patch;
  else if ("data" in changes) actions.push({ action: "replace_data", arguments: { nodeKey: node.key, data: changes.data } });
  if ("text" in changes) Object.assign(updates, textUpdate(node, changes.text));
  if (Object.keys(updates).length) actions.push({ action: "update_node", arguments: { nodeKey: node.key, updates } });
  if (PLACE.some((name) => name in changes)) actions.push({ action: "move_node", arguments: moveOf(node, changes) });
  return actions;
}

function textUpdate(node, text) {
  const field = noteField(node);
  return field === "process" ? { process: text } : { data: { [field]: text } };
}

function moveOf(node, { posX = node.posX, posY = node.posY, sheet }) {
  return { nodeKey: node.key, posX, posY, ...(sheet === undefined ? {} : { sheet }) };
}
