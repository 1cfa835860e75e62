// What the person did on this page and can take back, and what they took back and can do again.

const MOST = 200;

export class UndoStack {
  #done;
  #undone;
  #changed;

  /** `known` {done, undone} is what was known before a reload; `changed()` is called when it may look different. */
  constructor({ done, undone }, changed) {
    this.#done = done;
    this.#undone = undone;
    this.#changed = changed;
  }

  /** What to remember. */
  get known() {
    return { done: this.#done.slice(-MOST), undone: this.#undone.slice(-MOST) };
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

  /** Takes the latest back: `rollback(id)` gives the id of what that made, null where it never can, undefined where it may be tried again. */
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
    if (made === undefined) from.push(id);
    else if (made !== null) to.push(made);
    this.#changed();
  }
}
