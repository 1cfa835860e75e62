/* The menu of a graph's page with what every conversation of the workspace is sent of it: the graph itself, nodes, and the
 * node that was selected last, which may be added. Whoever may not edit only sees it.
 */

import { t } from "../graphs/strings.js";
import { ApiError, ChatApi } from "./widget/api.js";
import { h } from "./widget/elements.js";

/** Stands for the graph itself among the keys of nodes. */
const GRAPH = "";

class AlwaysSend {
  constructor(element) {
    const { api, workspace, graph, editable } = element.dataset;
    this.element = element;
    this.graph = graph;
    this.mayEdit = editable !== undefined;
    this.api = new ChatApi({ base: api, workspace, context: null });
    this.list = element.querySelector("ul");
    this.problem = element.querySelector("[role=alert]");
    this.sent = new Set();
    /** What was chosen and is not answered yet: key -> whether it is sent. */
    this.chosen = new Map();
    this.boxes = new Map();
    this.selected = GRAPH;
  }

  start() {
    this.element.addEventListener("toggle", () => this.element.open && this.ask(() => this.load()));
    document.addEventListener("countersign:node-selected", ({ detail }) => {
      this.selected = detail.key;
      if (this.element.open) this.show();
    });
  }

  async load() {
    const { results } = await this.api.alwaysSent();
    this.sent = new Set(results.filter(({ graphKey }) => graphKey === this.graph).map(({ nodeKey }) => nodeKey));
  }

  async choose(nodeKey, always) {
    this.chosen.set(nodeKey, always);
    try {
      await this.api.alwaysSend(this.graph, nodeKey, always);
    } finally {
      if (this.chosen.get(nodeKey) === always) this.chosen.delete(nodeKey);
    }
    if (always) this.sent.add(nodeKey);
    else this.sent.delete(nodeKey);
  }

  /** What is not done is said, and what is shown is what there is. */
  async ask(deed) {
    this.problem.hidden = true;
    try {
      await deed();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem.textContent = error.message;
      this.problem.hidden = false;
    }
    this.show();
  }

  /** Rows stay while they are shown: a press of a key ends at the box where it began. */
  show() {
    const nodes = new Set([GRAPH, ...this.sent, ...this.chosen.keys(), this.selected]);
    for (const [nodeKey, box] of this.boxes) if (!nodes.has(nodeKey)) this.remove(nodeKey, box);
    for (const nodeKey of nodes) {
      if (!this.boxes.has(nodeKey)) this.append(nodeKey);
      this.boxes.get(nodeKey).checked = this.chosen.get(nodeKey) ?? this.sent.has(nodeKey);
    }
  }

  append(nodeKey) {
    const box = h("input", { type: "checkbox" });
    box.disabled = !this.mayEdit;
    box.addEventListener("change", () => this.ask(() => this.choose(nodeKey, box.checked)));
    const text = nodeKey === GRAPH ? t("This graph: its name and description") : t("Node {key}", { key: nodeKey });
    this.boxes.set(nodeKey, box);
    this.list.append(h("li", {}, h("label", {}, box, h("span", { text }))));
  }

  /** Who was there goes on at the next row, after the last one at the row before. */
  remove(nodeKey, box) {
    const row = box.closest("li");
    const beside = row.nextElementSibling ?? row.previousElementSibling;
    if (document.activeElement === box) beside.querySelector("input").focus();
    this.boxes.delete(nodeKey);
    row.remove();
  }
}

const menu = document.querySelector("[data-always-send]");
if (menu) new AlwaysSend(menu).start();
