/* What this tab remembers: the open conversation of each object, drafts, whether the bubble is open. */

export class Memory {
  /** `scope` names the workspace and the object. */
  constructor(scope) {
    this.scope = scope;
  }

  /** The id of the conversation that was open, "" for a new one, null where none was. */
  openSession() {
    return read(`session:${this.scope}`);
  }

  rememberSession(id) {
    write(`session:${this.scope}`, id ?? "");
  }

  draft(sessionId) {
    return read(`draft:${this.scope}:${sessionId ?? "new"}`) ?? "";
  }

  rememberDraft(sessionId, text) {
    write(`draft:${this.scope}:${sessionId ?? "new"}`, text || null);
  }

  get bubbleOpen() {
    return read("bubble") === "open";
  }

  set bubbleOpen(open) {
    write("bubble", open ? "open" : null);
  }
}

const PREFIX = "countersign-chat:";

function read(key) {
  try {
    return sessionStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, value);
  } catch {
    // A tab without storage works, it only forgets.
  }
}
