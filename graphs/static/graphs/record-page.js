// The page of an object with fields: tabs, fields edited in place, undo, who is here, and what happens to the object as a
// whole. Told in docs/records.md.

import "./graph-history.js";
import { Drafts } from "./record/drafts.js";
import { FieldEditor } from "./record/field.js";
import { RecordApi } from "./record/api.js";
import { Presence } from "./record/presence.js";
import { Tabs } from "./record/tabs.js";
import { UndoBar } from "./record/undo-bar.js";
import { WholeObject } from "./record/whole.js";

class ObjectPage {
  #page;
  #api;
  #leaving = new AbortController();

  constructor(page) {
    this.#page = page;
    this.#api = new RecordApi(page.dataset);
  }

  start() {
    let undo = null;
    const whole = new WholeObject(this.#page, this.#api, { left: () => this.#leaving.abort(), moved: ({ id }) => undo?.moved(id) });
    if (this.#page.dataset.deletion) return;
    if (this.#page.querySelector("[data-tab]")) new Tabs(this.#page).start();
    const presence = new Presence(this.#page, this.#api, () => whole.gone());
    presence.start(this.#leaving.signal);
    if (this.#page.dataset.editable === undefined) return;
    const drafts = new Drafts(this.#api.name);
    undo = new UndoBar(this.#page, this.#api, drafts);
    undo.start(this.#leaving.signal);
    for (const section of this.#page.querySelectorAll("[data-path]:has([data-edit])")) {
      const done = ({ id }) => undo.did(id);
      new FieldEditor(section, { api: this.#api, drafts, done, editing: (path, on) => presence.editing(path, on) }).start();
    }
  }
}

const page = document.querySelector("[data-object-page]");
if (page) new ObjectPage(page).start();
