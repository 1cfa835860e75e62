// The proposals that wait for a decision about this graph: fetched, listed, drawn as ghosts, and one of them chosen.

import { request } from "../../requests.js";
import { union } from "../model/boxes.js";
import { Grid } from "../model/grid.js";
import { marksOf } from "./marks.js";
import { GhostPanel } from "./panel.js";
import { ghostTip } from "./tip.js";

const NONE = { marks: [], bounds: null };

/** Of so many large proposals the whole is fetched, so that all they would do is drawn. */
const MOST_WHOLE = 20;

const isCut = ({ cut = [] }) => cut.includes("diff");

/** The whole of one proposal of those at `address`, or null. */
async function fetchWhole(address, { id }) {
  const list = new URL(address, document.baseURI);
  const workspace = new URLSearchParams({ workspace: list.searchParams.get("workspace") ?? "" });
  return request("GET", `${list.pathname}/${encodeURIComponent(id)}?${workspace}`).catch(() => null);
}

export class Ghosts {
  #canvas;
  #callbacks;
  #address = "";
  #proposals = [];
  /** Whether the proposals were fetched. */
  #known = false;
  #model = null;
  #sheetKey = null;
  #sheets = new Map();
  #chosen = null;
  /** Asked for before it was known. */
  #wanted = null;
  #requests = 0;
  /** Large proposals as they were fetched, by id and digest. */
  #whole = new Map();

  /** `callbacks`: show(sheet key, bounds), changed(), missing(). */
  constructor(canvas, callbacks) {
    this.#canvas = canvas;
    this.#callbacks = callbacks;
    this.panel = new GhostPanel({ chosen: (id) => this.#chooseAndTell(id), left: () => canvas.element.focus() });
  }

  /** What the ghosts of the sheet that is shown cover, or null. */
  get bounds() {
    return this.#here.bounds;
  }

  get #here() {
    return this.#sheets.get(this.#sheetKey) ?? NONE;
  }

  async load(address = this.#address) {
    if (!address) return;
    this.#address = address;
    this.#requests += 1;
    const asked = this.#requests;
    const pending = await request("GET", address).catch(() => null);
    if (pending && asked === this.#requests) this.setProposals(pending.results);
  }

  /** All that wait now. */
  setProposals(proposals) {
    this.#requests += 1;
    this.#known = true;
    const names = new Set(proposals.map(nameOf));
    for (const name of [...this.#whole.keys()]) if (!names.has(name)) this.#whole.delete(name);
    this.#take(proposals);
    this.#complete(this.#requests);
  }

  #take(proposals) {
    this.#proposals = proposals.map((proposal) => this.#whole.get(nameOf(proposal)) ?? proposal);
    if (!this.#waits(this.#chosen)) this.#chosen = null;
    this.#work();
    this.#showWanted();
  }

  /** Fetches what lists leave out, one after the other; a newer list begins anew with what is still missing. */
  async #complete(asked) {
    if (!this.#address) return;
    for (const proposal of this.#proposals.filter(isCut).slice(0, Math.max(0, MOST_WHOLE - this.#whole.size))) {
      const whole = await fetchWhole(this.#address, proposal);
      if (asked !== this.#requests) return;
      if (!whole || isCut(whole)) continue;
      this.#whole.set(nameOf(whole), whole);
      this.#take(this.#proposals);
    }
  }

  setModel(model) {
    this.#model = model;
    this.#work();
    this.#showWanted();
  }

  setSheet(key) {
    this.#sheetKey = key;
    this.#draw();
  }

  /** Shows a proposal wherever it is; one that is not known yet, as soon as it is. */
  async choose(id) {
    this.#wanted = id;
    if (this.#known && !this.#waits(id)) await this.load();
    this.#showWanted();
  }

  forget() {
    if (this.#chosen !== null) this.#mark(null);
  }

  /** Chooses what lies under a point, the next one where several do; true if anything does. */
  pick(point) {
    const ids = [...new Set(this.#canvas.marksAt(point).map(({ proposal }) => proposal.id))];
    if (!ids.length) return false;
    const id = ids[(ids.indexOf(this.#chosen) + 1) % ids.length];
    this.#mark(id);
    this.#tell(id);
    return true;
  }

  /** What to say beside the mouse, or null. */
  tip(point) {
    const marks = this.#canvas.marksAt(point);
    return marks.length ? ghostTip(marks) : null;
  }

  #waits(id) {
    return this.#proposals.some((proposal) => proposal.id === id);
  }

  #showWanted() {
    const id = this.#wanted;
    if (id === null || !this.#model || !this.#known) return;
    this.#wanted = null;
    if (this.#waits(id)) this.#show(id);
    else this.#callbacks.missing();
  }

  #work() {
    this.#sheets = this.#model ? marksOf(this.#proposals, this.#model) : new Map();
    this.panel.show(this.#proposals, this.#chosen);
    this.#draw();
    this.#callbacks.changed();
  }

  #draw() {
    const { marks } = this.#here;
    const numbered = this.#proposals.length > 1;
    for (const mark of marks) Object.assign(mark, { numbered, chosen: mark.proposal.id === this.#chosen });
    this.#canvas.element.classList.toggle("choosing", marks.some(({ chosen }) => chosen));
    this.#canvas.setGhosts(marks.length ? new Grid(marks) : null);
  }

  #mark(id) {
    this.#chosen = id;
    this.#draw();
    this.panel.show(this.#proposals, id);
  }

  #show(id) {
    const bounds = (key) => boundsOf(this.#sheets.get(key)?.marks ?? [], id);
    const sheet = [this.#sheetKey, ...this.#sheets.keys()].find(bounds);
    this.#mark(id);
    if (sheet !== undefined) this.#callbacks.show(sheet, bounds(sheet));
  }

  #chooseAndTell(id) {
    this.#show(id);
    this.#tell(id);
  }

  #tell(id) {
    document.dispatchEvent(new CustomEvent("countersign:select-proposal", { detail: { id, from: "drawing" } }));
  }
}

function nameOf({ id, digest }) {
  return `${id} ${digest}`;
}

function boundsOf(marks, id) {
  return marks.filter(({ proposal }) => proposal.id === id).reduce((found, { reach }) => union(found, reach), null);
}
