// The form of one node in the details panel. It saves when it is asked to, live also when typing pauses, and keeps what
// one typed while others change the same node.

import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { Connections } from "./connections.js";
import { InvalidValue } from "./controls.js";
import { Fields } from "./fields.js";
import { actionsOf, arranged, controlsOf, valuesOf } from "./node-fields.js";

const PAUSE_MS = 1200;

export class NodeForm {
  #actions;
  #pause = 0;
  #item = null;
  #fields = null;
  /** The version of the node whose values the form knows: what others changed since, it has not shown. */
  #version = 0;
  #gone = false;
  #saving = false;
  #connections;
  #body = html("div", { class: "details-body" });
  #status = html("p", { class: "edit-status", role: "status" });
  #save = html("button", { type: "submit", class: "button" }, t("Save"));
  #discard = html("button", { type: "button", class: "button quiet", onclick: () => this.discard() }, t("Discard"));

  /**
   * `actions`: live() tells whether what is typed is saved by itself; save({node, actions, seen, created?}) gives {saved, message?, gone?}; remove(item); types() as
   * [[key, title]]; and those of the connections.
   */
  constructor(actions) {
    this.#actions = actions;
    this.#connections = new Connections(actions);
    const remove = iconButton(ICONS.bin, t("Delete this node"), () => this.#actions.remove(this.#item));
    const foot = html("footer", { class: "edit-foot" }, remove, this.#status, this.#discard, this.#save);
    this.element = html("form", { class: "edit-form", novalidate: true }, this.#body, foot);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.element.addEventListener("keydown", (event) => this.#keydown(event));
  }

  get dirty() {
    return this.#fields !== null && (this.#gone || this.#fields.changed.length > 0);
  }

  get name() {
    return this.#item?.name ?? "";
  }

  /** Shows a node; of the one that is shown already, what the person typed stays. */
  show(item, model) {
    const same = this.#fields !== null && this.#item.key === item.key && this.#item.note === item.note;
    this.#item = item;
    this.#gone = false;
    if (same) this.#merge();
    else this.#build(model);
    this.#connections.show(item, model);
    this.#changed();
    return this.element;
  }

  /** The node is gone. Gives false where nothing is lost by that; else the form stays, to make a new node of it. */
  lose() {
    if (!this.dirty) return false;
    this.#gone = true;
    this.#changed();
    this.#say(t("This node was deleted meanwhile. Saving makes a new node of it."));
    return true;
  }

  forget() {
    clearTimeout(this.#pause);
    this.#fields = null;
    this.#item = null;
    this.#gone = false;
  }

  discard() {
    if (!this.#item) return;
    this.#fields.load(valuesOf(this.#item));
    this.#version = this.#item.node.version;
    this.#gone = false;
    this.#changed();
  }

  focus() {
    this.#body.querySelector("input")?.focus();
  }

  focusConnector() {
    this.#connections.focus();
  }

  /** Gives whether everything is saved now. */
  async save() {
    if (!this.dirty || this.#saving) return !this.dirty;
    const asked = this.#asked();
    if (!asked) return false;
    const { snapshot } = this.#fields;
    const { key } = this.#item;
    this.#saving = true;
    this.#changed();
    const { saved, message = "", gone } = await this.#actions.save(asked);
    this.#saving = false;
    if (this.#item?.key !== key) return saved;
    if (saved && this.#fields.snapshot === snapshot) this.#finish(asked.node);
    if (gone) this.lose();
    this.#changed();
    if (!saved && !gone) this.#say(message, "problem");
    return saved;
  }

  /** Shows what was made of it; where that could not be fetched, what was typed stands for it. */
  #finish(before) {
    if (!this.dirty) return;
    if (this.#item.node.version === before.version) this.#fields.adopt();
    else this.discard();
  }

  #build(model) {
    const controls = controlsOf(this.#item, model, this.#actions.types(), () => this.#changed());
    this.#fields = new Fields(controls);
    this.#body.replaceChildren(...arranged(controls, model.sheets.size > 1, this.#connections.element));
    this.#body.scrollTop = 0;
    this.discard();
  }

  #merge() {
    const both = this.#fields.merge(valuesOf(this.#item));
    if (both.length === 0) this.#version = this.#item.node.version;
    else if (!this.#saving) this.#say(t("Somebody changed the same meanwhile. Saving shows both sides."));
  }

  /** What saving asks for; null where something typed is not possible, which is said. */
  #asked() {
    const { node } = this.#item;
    try {
      if (this.#gone) return { node, created: true, actions: [this.#creation()], seen: [] };
      const changes = this.#fields.changes();
      const base = Object.fromEntries(Object.keys(changes).map((name) => [name, this.#fields.base(name)]));
      const seen = [{ type: "node", id: node.key, version: this.#version }];
      return { node, actions: actionsOf(node, changes, base), seen };
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      this.#say(error.message, "problem");
      return null;
    }
  }

  #creation() {
    const { text, ...values } = { ...this.#item.node, ...this.#fields.values() };
    const { type, sheet, posX, posY, name, process, handles } = values;
    const data = text === undefined ? values.data : { ...values.data, content: text };
    return { action: "create_node", arguments: { typeKey: type, sheet, posX, posY, name, process, data, handles } };
  }

  #changed() {
    const { dirty } = this;
    this.#save.disabled = !dirty || this.#saving;
    this.#discard.hidden = !dirty || this.#gone;
    this.element.classList.toggle("dirty", dirty);
    this.element.classList.toggle("gone", this.#gone);
    clearTimeout(this.#pause);
    if (dirty && !this.#gone && !this.#saving && this.#actions.live()) {
      this.#pause = setTimeout(() => this.#fields?.possible && this.save(), PAUSE_MS);
    }
    if (!dirty) this.#say("");
    else if (this.#status.dataset.kind === "problem") this.#say("");
  }

  #say(text, kind = "") {
    this.#status.textContent = text;
    this.#status.dataset.kind = kind;
  }

  #keydown(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !["s", "Enter"].includes(event.key)) return;
    event.preventDefault();
    this.save();
  }
}
