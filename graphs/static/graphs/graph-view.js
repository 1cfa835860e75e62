// <graph-view src="/api/v1/graphs/KEY">: the drawing of a workflow graph, with its sheets, a find box and details.
// Attributes, events and keys are told in docs/graph-view.md.

import { diffSheet } from "./diff.js";
import { Refresher } from "./refresh.js";
import { Drawing } from "./view/drawing.js";
import { failureMessage, loadingMessage } from "./view/message.js";
import { fetchGraph } from "./view/source.js";
import { chrome } from "./view/styles/chrome.js";
import { colours } from "./view/styles/colours.js";
import { details } from "./view/styles/details.js";
import { drawing } from "./view/styles/drawing.js";
import { editing } from "./view/styles/editing.js";
import { ghosts } from "./view/styles/ghosts.js";

class GraphView extends HTMLElement {
  static observedAttributes = ["src"];

  #drawing = new Drawing(this);
  #loading = null;
  /** Of loads that overtake each other only the last one shows something. */
  #newest = null;
  /** Names the state of the graph that is shown. */
  #tag = "";
  #refresher = new Refresher(() => this.reload());
  /** Fires when it leaves the page; null while it is on none. */
  #leaving = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [colours, chrome, drawing, details, ghosts, editing, diffSheet];
    root.append(this.#drawing.frame.root);
  }

  connectedCallback() {
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    this.#drawing.follow(signal);
    this.#listen("select-node", ({ key }) => typeof key === "string" && this.#drawing.navigation.showNode(key));
    this.#listen("object-changed", (change) => this.#objectChanged(change));
    this.#listen("proposals", (news) => this.#proposalsChanged(news));
    this.#listen("select-proposal", (wish) => this.#proposalChosen(wish));
    this.#refresher.follow(signal);
    const address = this.getAttribute("live");
    if (address) this.#drawing.goLive(address, signal);
    if (this.hasAttribute("editable")) this.#drawing.edit(signal);
    if (!this.#drawing.model) this.#load();
  }

  disconnectedCallback() {
    this.#leaving.abort();
    this.#leaving = null;
    this.#loading?.abort();
  }

  attributeChangedCallback(_name, before, after) {
    if (!this.#leaving || before === after) return;
    this.#drawing.forget();
    this.#load();
  }

  /** Fetches the graph again; selection and view stay, and what moved glides. A failure leaves the drawing as it is. */
  async reload() {
    let loading;
    this.#newest = this.#load({ quietly: this.#drawing.model !== null });
    do {
      loading = this.#newest;
      await loading;
    } while (loading !== this.#newest);
  }

  /** Gives the history what was edited live so far; where it cannot, it gets it later. */
  async save() {
    await this.#drawing.live?.save();
  }

  /** Fetches it again, soon. */
  refresh() {
    this.#refresher.ask();
  }

  /** The graph as it is after somebody's live edit. */
  takeLive(graph) {
    this.#take(graph, "", true);
  }

  get src() {
    return this.getAttribute("src");
  }

  /** Calls `listener(detail)` for what the page says. */
  #listen(type, listener) {
    const heard = (event) => listener(event.detail ?? {});
    document.addEventListener(`countersign:${type}`, heard, { signal: this.#leaving.signal });
  }

  async #load({ quietly = false } = {}) {
    if (!this.src) return;
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const { frame, ghosts: proposed } = this.#drawing;
    if (!quietly) frame.showMessage(loadingMessage());
    const proposals = this.getAttribute("proposals");
    if (proposals) proposed.load(proposals);
    try {
      const { graph, tag } = await fetchGraph(this.src, loading.signal);
      if (!loading.signal.aborted) this.#take(graph, tag, quietly);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!error.advice) throw error;
      if (error.gone && quietly) {
        this.dispatchEvent(new CustomEvent("graph-gone"));
        return;
      }
      if (quietly) frame.toast(`${error.title}. ${error.advice}`);
      else frame.showMessage(failureMessage(error, () => this.#load()));
    }
  }

  #take(graph, tag, quietly) {
    if (quietly && tag && tag === this.#tag) return;
    if (quietly && graph.version < this.#drawing.version) {
      this.#refresher.ask();
      return;
    }
    this.#tag = tag;
    this.#drawing.take(graph, quietly);
    const detail = { nodes: graph.nodes.length, edges: graph.edges.length, changed: quietly };
    this.dispatchEvent(new CustomEvent("graph-taken", { detail }));
  }

  /** Without a version: it may have changed. */
  #objectChanged({ object, version }) {
    const { model } = this.#drawing;
    if (!this.#isOf(object)) return;
    if (Number.isFinite(version) && version <= model.version) return;
    this.#refresher.ask();
  }

  #proposalsChanged({ object, proposals }) {
    const { model, ghosts: proposed } = this.#drawing;
    if (Array.isArray(proposals) && (!model || this.#isOf(object))) proposed.setProposals(proposals);
  }

  #isOf(object) {
    return object?.type === "graph" && object.id === this.#drawing.model?.key;
  }

  /** Asked for by the page, the chat or the inbox. */
  #proposalChosen({ id, from }) {
    if (typeof id === "string" && from !== "drawing") this.#drawing.navigation.showProposal(id);
  }
}

customElements.define("graph-view", GraphView);
