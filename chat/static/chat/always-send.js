/* The menu of an object's page with what every conversation of the workspace is sent of it: the object itself, parts of it,
 * and the node of a graph that was selected last, which may be added. Whoever may not edit only sees it.
 */

import { unlessRefused } from "../graphs/requests.js";
import { ChatApi } from "./widget/api.js";
import { h } from "./widget/elements.js";

/** Stands for the object itself among the names of parts. */
const WHOLE = "";

class AlwaysSend {
  constructor(element) {
    const { api, workspace, type, id, whole, parts, editable } = element.dataset;
    this.element = element;
    this.object = { type, id };
    this.whole = whole;
    /** What the kinds of its parts are called. */
    this.parts = JSON.parse(parts);
    this.mayEdit = editable !== undefined;
    this.api = new ChatApi({ base: api, workspace, context: null });
    this.list = element.querySelector("ul");
    this.problem = element.querySelector("[role=alert]");
    this.sent = new Set();
    /** What was chosen and is not answered yet: key -> whether it is sent. */
    this.chosen = new Map();
    this.boxes = new Map();
    this.selected = WHOLE;
  }

  start() {
    this.element.addEventListener("toggle", () => this.element.open && this.ask(() => this.load()));
    document.addEventListener("countersign:node-selected", ({ detail }) => {
      this.selected = `node:${detail.key}`;
      if (this.element.open) this.show();
    });
  }

  async load() {
    const { results } = await this.api.alwaysSent();
    const own = results.filter(({ object }) => named(object) === named(this.object));
    this.sent = new Set(own.map(({ part }) => (part ? named(part) : WHOLE)));
  }

  async choose(part, always) {
    this.chosen.set(part, always);
    try {
      await this.api.alwaysSend(this.object, part, always);
    } finally {
      if (this.chosen.get(part) === always) this.chosen.delete(part);
    }
    if (always) this.sent.add(part);
    else this.sent.delete(part);
  }

  /** What is not done is said, and what is shown is what there is. */
  async ask(deed) {
    this.problem.hidden = true;
    await unlessRefused(deed, ({ message }) => {
      this.problem.textContent = message;
      this.problem.hidden = false;
    });
    this.show();
  }

  /** Rows stay while they are shown: a press of a key ends at the box where it began. */
  show() {
    const parts = new Set([WHOLE, ...this.sent, ...this.chosen.keys(), this.selected]);
    for (const [part, box] of this.boxes) if (!parts.has(part)) this.remove(part, box);
    for (const part of parts) {
      if (!this.boxes.has(part)) this.append(part);
      this.boxes.get(part).checked = this.chosen.get(part) ?? this.sent.has(part);
    }
  }

  append(part) {
    const box = h("input", { type: "checkbox" });
    box.disabled = !this.mayEdit;
    box.addEventListener("change", () => this.ask(() => this.choose(part, box.checked)));
    this.boxes.set(part, box);
    this.list.append(h("li", {}, h("label", {}, box, h("span", { text: this.textOf(part) }))));
  }

  textOf(part) {
    if (part === WHOLE) return this.whole;
    const [type, ...key] = part.split(":");
    return `${this.parts[type] ?? type} ${key.join(":")}`;
  }

  /** Who was there goes on at the next row, after the last one at the row before. */
  remove(part, box) {
    const row = box.closest("li");
    const beside = row.nextElementSibling ?? row.previousElementSibling;
    if (document.activeElement === box) beside.querySelector("input").focus();
    this.boxes.delete(part);
    row.remove();
  }
}

const named = ({ type, id }) => `${type}:${id}`;

const menu = document.querySelector("[data-always-send]");
if (menu) new AlwaysSend(menu).start();
