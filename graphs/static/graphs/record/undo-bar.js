// What the person changed on this page, taken back and done again: by buttons, and by Ctrl + Z outside of inputs.

import { RollbackDialog } from "../history/rollback.js";
import { html, textButton } from "../dom.js";
import { Refusal } from "../requests.js";
import { t } from "../strings.js";
import { UndoStack } from "../view/editing/undo.js";

/** Stands among the fields in what the tab keeps; no field is called so. */
const KEPT_AS = "(undo)";

export class UndoBar {
  #api;
  #drafts;
  #stack;
  #dialog;
  #decided = null;
  #busy = false;
  #moved = false;
  #undo = textButton(t("Undo"), () => this.undo(), { title: t("Undo my last change (Ctrl + Z)") });
  #redo = textButton(t("Redo"), () => this.redo(), { title: t("Redo what I undid (Ctrl + Shift + Z)") });
  #said = html("span", { role: "status", class: "undo-said" });
  #element = html("div", { class: "undo-buttons", hidden: true }, this.#undo, this.#redo, this.#said);

  constructor(page, api, drafts) {
    this.#api = api;
    this.#drafts = drafts;
    this.#stack = new UndoStack(drafts.get(KEPT_AS) ?? { done: [], undone: [] }, () => this.#changed());
    this.#dialog = new RollbackDialog(api, ({ id, objects }) => this.#decide(id, objects));
    this.#dialog.element.addEventListener("close", () => this.#decide(undefined));
    page.querySelector("[data-undo]").append(this.#element, this.#dialog.element);
    this.#show();
  }

  start(signal) {
    document.addEventListener("keydown", (event) => this.#keyed(event), { signal });
    signal.addEventListener("abort", () => this.#element.remove());
  }

  did(id) {
    this.#said.textContent = "";
    this.#stack.did(id);
  }

  /** The object stands elsewhere: its page comes anew, and until then nothing is to be pressed. */
  moved(id) {
    this.#busy = true;
    this.did(id);
  }

  undo() {
    return this.#move((rollBack) => this.#stack.undo(rollBack), t("Undone."));
  }

  redo() {
    return this.#move((rollBack) => this.#stack.redo(rollBack), t("Done again."));
  }

  async #move(move, said) {
    if (this.#busy) return;
    this.#busy = true;
    this.#said.textContent = "";
    await move(async (id) => {
      const made = await this.#rollBack(id);
      if (made) this.#said.textContent = said;
      return made;
    });
    if (this.#moved) {
      // What holds the object stands in many places of its page. Until it comes anew nothing is to be pressed.
      location.reload();
      return;
    }
    this.#busy = false;
    this.#show();
  }

  /** The id of what takes it back; null where that never can be, undefined where it may be tried again. */
  async #rollBack(id) {
    try {
      const made = await this.#api.rollBack({ changeSet: id }, {});
      this.#api.tell(made);
      this.#moved = made.modifications.some(({ field }) => field === "parent");
      return made.id;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "conflict") return this.#ask(id);
      this.#said.textContent = error.message;
      return error.passing || error.status === 429 ? undefined : null;
    }
  }

  /** Others changed the same since: they see what, and choose. */
  #ask(id) {
    const decided = new Promise((resolve) => (this.#decided = resolve));
    this.#dialog.open(t("My change"), { changeSet: id }, { id });
    return decided;
  }

  #decide(id, objects) {
    if (id) this.#api.tell({ id, objects });
    this.#decided?.(id);
    this.#decided = null;
  }

  #keyed(event) {
    const typing = event.composedPath()[0]?.matches?.("input, textarea, select, [contenteditable]");
    if (typing || event.altKey || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.redo();
    else this.undo();
  }

  #changed() {
    this.#drafts.keep(KEPT_AS, this.#stack.known);
    this.#show();
  }

  #show() {
    this.#element.hidden = !this.#stack.canUndo && !this.#stack.canRedo && !this.#said.textContent;
    this.#undo.disabled = this.#busy || !this.#stack.canUndo;
    this.#redo.disabled = this.#busy || !this.#stack.canRedo;
  }
}
