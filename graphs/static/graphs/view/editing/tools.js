// The buttons of editing, on the drawing.

import { html, icon, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";

export class EditTools {
  #undo;
  #redo;
  #select;

  /** `actions`: create(), undo(), redo(), select(), arrange(), sheets(), types(). */
  constructor(actions) {
    const create = html(
      "button",
      { type: "button", class: "new-node", title: t("New node (N)"), onclick: () => actions.create() },
      icon(ICONS.plus),
      html("span", {}, t("New node")),
    );
    this.#undo = iconButton(ICONS.undo, t("Undo (Ctrl+Z)"), () => actions.undo());
    this.#redo = iconButton(ICONS.redo, t("Redo (Ctrl+Shift+Z)"), () => actions.redo());
    this.#select = iconButton(ICONS.select, t("Select several nodes"), () => actions.select(), { "aria-pressed": "false" });
    const arrange = iconButton(ICONS.arrange, t("Arrange the selected nodes, or the sheet"), () => actions.arrange());
    const sheets = iconButton(ICONS.sheets, t("Sheets"), () => actions.sheets());
    const types = iconButton(ICONS.layers, t("Node types"), () => actions.types());
    this.element = html(
      "div",
      { class: "edit-tools", role: "toolbar", "aria-label": t("Edit") },
      create,
      this.#undo,
      this.#redo,
      this.#select,
      arrange,
      sheets,
      types,
    );
    this.show({ canUndo: false, canRedo: false });
  }

  show({ canUndo, canRedo }) {
    this.#undo.disabled = !canUndo;
    this.#redo.disabled = !canRedo;
  }

  showSelecting(on) {
    this.#select.setAttribute("aria-pressed", String(on));
  }
}

/** For the list of keys. */
export function editKeys() {
  return [
    [["N"], t("New node; a double click makes one there")],
    [[t("Alt"), "←"], t("Move the selected node, further with Shift")],
    [["C"], t("Connect the selected node")],
    [[t("Delete")], t("Delete the selected node")],
    [[t("Shift"), "⏎"], t("Select one more node, as Shift and a click do; Shift and dragging select all in a box")],
    [[t("long press")], t("Select one more node by finger; a tap adds the next")],
    [[t("Ctrl"), "A"], t("Select all nodes of the sheet")],
    [[t("Ctrl"), "S"], t("Save the details")],
    [[t("Ctrl"), "Z"], t("Undo; with Shift, redo")],
  ];
}
