// The graph as everybody edits it now: what others do is drawn at once, what the person does is sent at once.

import { unlessRefused } from "../../requests.js";
import { LiveBar } from "./bar.js";
import { LiveSocket } from "./socket.js";

/** How long an edit that was acknowledged may take to come back before the graph is read again. */
const ECHO_MS = 2000;
const LOOK_MS = 150;
const MOST_SELECTED = 50;
/** The mouse of somebody who does not move it for so long is not shown. */
const RESTED_MS = 10_000;
/** Of the whole workspace, or with all that stands there: changed over REST. */
const NOT_LIVE = new Set(["configure_node_type", "delete_node_type", "update_graph", "delete_graph", "delete_sheet"]);
const PREFIX = "live:";

export class Live {
  bar = new LiveBar(() => this.save());
  #host;
  #socket;
  #you = "";
  #unsaved = false;
  #people = [];
  #selection = [];
  #cursor = null;
  #timer = 0;
  #resting = 0;
  #echoes = new Set();

  /**
   * `host`: element, which takes and reloads the graph, graph (its JSON as it is known), model, sheet, onSheet(key), and
   * canvas, where it is marked what others selected and where they point.
   */
  constructor(address, host) {
    this.#host = host;
    this.#socket = new LiveSocket(address, {
      hear: (frame) => this.#heard(frame),
      changed: () => this.#showState(),
    });
  }

  start(signal) {
    this.#socket.start(signal);
    signal.addEventListener("abort", () => this.bar.element.remove());
  }

  /** Whether these actions can be asked for here and now. */
  takes(actions) {
    return this.#socket.live && this.#socket.mayEdit && !actions.some(({ action }) => NOT_LIVE.has(action));
  }

  /** Whether `id` names a live edit. */
  made(id) {
    return id.startsWith(PREFIX);
  }

  get live() {
    return this.#socket.live;
  }

  /** What the edit did, in the shape of a change set; `key` makes it happen once. Raises Refusal. */
  async edit({ actions, seen }, key) {
    return this.#done(await this.#socket.ask(key, { type: "graph:edit", actions, expected: seen }));
  }

  /** The same of what takes back the edit of this id. */
  async undo(id, key) {
    return this.#done(await this.#socket.ask(key, { type: "graph:undo", version: Number(id.slice(PREFIX.length)) }));
  }

  /** Gives the history what it would get within half a minute; where it cannot, it gets it then. */
  async save() {
    if (!this.#socket.live || !this.#socket.mayEdit || !this.#unsaved) return;
    await unlessRefused(async () => {
      await this.#socket.ask(`save-${Date.now()}-${Math.random()}`, { type: "graph:save" });
      this.#saved();
    }, () => {});
  }

  /** Tells the others what the person has selected: keys of nodes. */
  look(keys) {
    const selection = keys.slice(0, MOST_SELECTED);
    if (selection.join("\n") === this.#selection.join("\n")) return;
    this.#selection = selection;
    this.#tellSoon();
  }

  /** Tells the others, where there are some, where the mouse is: {sheet, x, y}, or null. */
  point(cursor) {
    clearTimeout(this.#resting);
    if (cursor && !this.#people.length) return;
    if (!cursor && !this.#cursor) return;
    this.#cursor = cursor;
    if (cursor) this.#resting = setTimeout(() => this.point(null), RESTED_MS);
    this.#tellSoon();
  }

  /** When the graph is known in this version or a later one. */
  async reached(version) {
    if (this.#host.graph?.version >= version) return;
    await new Promise((resolve) => {
      const echo = { version, resolve };
      this.#echoes.add(echo);
      setTimeout(resolve, ECHO_MS);
    });
    if (!(this.#host.graph?.version >= version)) await this.#host.element.reload();
  }

  /** The drawing shows another sheet, or other nodes. */
  drawn() {
    this.#showPeople();
    this.#settleEchoes();
  }

  #done({ version, operations }) {
    this.#unsaved = true;
    this.#showState();
    const modifications = operations.map(({ action, type, id }) => ({ action, object: { type, id } }));
    return { id: `${PREFIX}${version}`, objects: [{ version }], modifications };
  }

  #heard(frame) {
    if (frame.type === "graph:opened") this.#opened(frame);
    else if (frame.type === "graph:edited") this.#edited(frame);
    else if (frame.type === "graph:changed") this.#behind(frame.version);
    else if (frame.type === "graph:saved") this.#saved();
    else if (frame.type === "graph:presence") {
      this.#people = frame.people.filter(({ id }) => id !== this.#you);
      this.#showPeople();
    }
  }

  #opened({ you, version, unsaved }) {
    this.#you = you;
    this.#unsaved = unsaved;
    this.#tellWhere();
    this.#behind(version);
    this.#showState();
  }

  #edited({ version, operations }) {
    const { graph } = this.#host;
    this.#unsaved = true;
    this.#showState();
    if (!graph || version <= graph.version) return;
    const ofSheets = operations.some(({ type }) => type === "sheet");
    if (version === graph.version + 1 && !ofSheets) this.#host.element.takeLive(withOperations(graph, version, operations));
    else this.#behind(version);
  }

  #behind(version) {
    if (this.#host.graph && version > this.#host.graph.version) this.#host.element.refresh();
  }

  #saved() {
    this.#unsaved = false;
    this.#showState();
    document.dispatchEvent(new CustomEvent("countersign:graph-saved"));
  }

  #settleEchoes() {
    const version = this.#host.graph?.version ?? 0;
    for (const echo of this.#echoes) {
      if (echo.version > version) continue;
      this.#echoes.delete(echo);
      echo.resolve();
    }
  }

  /** What changes meanwhile is told with it. */
  #tellSoon() {
    this.#timer ||= setTimeout(() => this.#tellWhere(), LOOK_MS);
  }

  #tellWhere() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#socket.say({ type: "graph:presence", selection: this.#selection, ...(this.#cursor && { cursor: this.#cursor }) });
  }

  #showState() {
    const { live, mayEdit, crowded, away } = this.#socket;
    if (live && mayEdit) this.bar.showState(this.#unsaved ? "unsaved" : "saved");
    else if (live) this.bar.showState("watching");
    else if (crowded) this.bar.showState("crowded");
    else if (away) this.bar.showState("away");
    if (this.#socket.state === "ended" && this.#host.graph) this.#host.element.refresh();
    if (!live) this.#people = [];
    this.#showPeople();
  }

  #showPeople() {
    const { canvas, model, sheet } = this.#host;
    const items = model?.items;
    const selected = ({ selection }) => selection.filter((key) => items?.has(key));
    this.bar.showPeople(this.#people.map((one) => ({ name: one.name, selected: selected(one).map((key) => items.get(key).name) })));
    canvas.overlay.markOthers(this.#people, sheet, (key) => this.#host.onSheet(key));
  }
}

/** A graph's JSON after what somebody did to it live; `operations` are those of `graph:edited`, which made this `version`. */
function withOperations(graph, version, operations) {
  const of = (kind) => new Map(operations.filter(({ type }) => type === kind).map((one) => [one.id, one]));
  return { ...graph, version, nodes: applied(graph.nodes, of("node")), edges: applied(graph.edges, of("edge")) };
}

function applied(items, operations) {
  if (!operations.size) return items;
  const known = new Set(items.map(({ key }) => key));
  const kept = items.map((item) => changed(item, operations.get(item.key))).filter(Boolean);
  const came = [...operations.values()].filter(({ action, id }) => action === "create" && !known.has(id));
  return [...kept, ...came.map(({ id, record, version }) => ({ key: id, ...record, version }))];
}

function changed(item, operation) {
  if (!operation) return item;
  const { action, version, record } = operation;
  if (action === "delete") return null;
  return { ...item, ...(action === "create" ? record : operation.new), version };
}
