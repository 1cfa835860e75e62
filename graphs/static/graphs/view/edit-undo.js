// What the person did on this page and can take back, and what they took back and can do again.

export class UndoStack {
  #done = [];
  #undone = [];
  #changed;

  /** `changed()` is called when it may look different. */
  constructor(changed) {
    this.#changed = changed;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  did(id) {
    this.#done.push(id);
    this.#undone = [];
    this.#changed();
  }

  /** Takes the latest back: `rollback(id)` gives the id of what that made. Where it fails, it is not tried again. */
  async undo(rollback) {
    await this.#move(this.#done, this.#undone, rollback);
  }

  async redo(rollback) {
    await this.#move(this.#undone, this.#done, rollback);
  }

  async #move(from, to, rollback) {
    const id = from.pop();
    if (id === undefined) return;
    this.#changed();
    const made = await rollback(id);
    if (made !== null) to.push(made);
    this.#changed();
  }
}
