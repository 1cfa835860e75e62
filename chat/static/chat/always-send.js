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
    await this.api.alwaysSend(this.graph, nodeKey, always);
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

  show() {
    const focused = this.list.querySelector(":focus")?.dataset.node;
    const nodes = new Set([GRAPH, ...this.sent, this.selected]);
    this.list.replaceChildren(...[...nodes].map((nodeKey) => this.row(nodeKey)));
    if (focused !== undefined) [...this.list.querySelectorAll("input")].find(({ dataset }) => dataset.node === focused)?.focus();
  }

  row(nodeKey) {
    const box = h("input", { type: "checkbox", "data-node": nodeKey });
    box.checked = this.sent.has(nodeKey);
    box.disabled = !this.mayEdit;
    box.addEventListener("change", () => this.ask(() => this.choose(nodeKey, box.checked)));
    const text = nodeKey === GRAPH ? t("This graph: its name and description") : t("Node {key}", { key: nodeKey });
    return h("li", {}, h("label", {}, box, h("span", { text })));
  }
}

const menu = document.querySelector("[data-always-send]");
if (menu) new AlwaysSend(menu).start();
