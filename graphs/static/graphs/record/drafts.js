// What is typed and not saved, and what can be undone: kept by this tab, also through a reload.

const PREFIX = "countersign-record:";

export class Drafts {
  #scope;

  /** `scope` names the workspace and the object. */
  constructor(scope) {
    this.#scope = `${PREFIX}${scope}:`;
  }

  /** {raw, base} of a field, null where nothing was typed. */
  get(path) {
    try {
      return JSON.parse(sessionStorage.getItem(this.#scope + path));
    } catch {
      return null;
    }
  }

  keep(path, draft) {
    try {
      sessionStorage.setItem(this.#scope + path, JSON.stringify(draft));
    } catch {
      // A tab without storage works, it only forgets.
    }
  }

  forget(path) {
    try {
      sessionStorage.removeItem(this.#scope + path);
    } catch {
      // Where there is no storage nothing is left in it.
    }
  }
}
