// <graph-history object="graph:nba" fields='{"name": "name"}' api="/api/v1/" workspace="demo" editable>: everything that
// was ever changed in it.
// Loads when it is shown first; new change sets appear on top by themselves. Told in docs/graph-view.md.

import { changeTitle, diffSheet } from "./diff.js";
import { html, textButton } from "./dom.js";
import { HistoryApi } from "./history/api.js";
import { Compare } from "./history/compare.js";
import { Entry } from "./history/entry.js";
import { Filters } from "./history/filters.js";
import { RollbackDialog } from "./history/rollback.js";
import { historySheet } from "./history/styles.js";
import { Refresher } from "./refresh.js";
import { unlessRefused } from "./requests.js";
import { t } from "./strings.js";

/** How far back a link to an older change set looks. */
const MOST_PAGES = 20;

class GraphHistory extends HTMLElement {
  #api = null;
  #entries = [];
  #next = null;
  #loading = 0;
  #leaving = null;
  #first = null;
  #filters;
  #list = html("ol", { class: "history-list" });
  #said = html("div", { role: "status" });
  #unsaved = html(
    "p",
    { class: "history-unsaved", hidden: true },
    t("There are edits that are not saved yet. They appear here within half a minute."),
  );
  #more = textButton(t("Show older changes"), () => this.#older(), { class: "button history-more", hidden: true });
  #compare;
  /** Of who may edit. */
  #dialog = null;
  #refresher = new Refresher(() => this.#news());

  connectedCallback() {
    if (!this.#api) this.#build();
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    document.addEventListener("countersign:object-changed", ({ detail }) => this.#objectChanged(detail), { signal });
    this.#refresher.follow(signal);
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  /** The reader looks at it: loads what is not there yet. */
  async show() {
    if (!this.#loading) this.#first = this.#load();
    await this.#first;
  }

  /** Shows one change set of this object, however old it is. */
  async showChange(id) {
    await this.show();
    await this.#goTo(id);
  }

  get #object() {
    return this.getAttribute("object") ?? "";
  }

  #build() {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, historySheet, diffSheet];
    this.#api = new HistoryApi({
      base: this.getAttribute("api") ?? "/api/v1/",
      workspace: this.getAttribute("workspace") ?? "",
      object: this.#object,
    });
    this.#filters = new Filters(JSON.parse(this.getAttribute("fields") ?? "{}"), () => this.#load());
    this.#compare = new Compare(this.#api, () => this.#entries[0]?.version ?? null);
    const parts = [this.#filters.element, exports(this.#api), this.#said, this.#unsaved, this.#compare.element, this.#list, this.#more];
    this.append(html("div", { class: "history" }, ...parts));
    if (!this.hasAttribute("editable")) return;
    this.#dialog = new RollbackDialog(this.#api, (changeSet) => this.#rolledBack(changeSet));
    this.append(this.#dialog.element);
  }

  #objectChanged({ object } = {}) {
    if (this.#loading && object && `${object.type}:${object.id}` === this.#object) this.#refresher.ask();
  }

  // The list

  async #load() {
    this.#loading += 1;
    const loading = this.#loading;
    const page = await this.#try(() => this.#api.timeline(this.#filters.values));
    if (!page || loading !== this.#loading) return;
    this.#compare.clear();
    this.#unsaved.hidden = !page.unsavedSince;
    this.#entries = page.results.map((changeSet) => this.#entry(changeSet));
    this.#next = page.next;
    this.#list.replaceChildren(...this.#entries.map(({ element }) => element));
    this.#showState();
  }

  async #older() {
    const loading = this.#loading;
    this.#more.disabled = true;
    const page = await this.#try(() => this.#api.page(this.#next));
    this.#more.disabled = false;
    if (!page || loading !== this.#loading) return;
    const entries = page.results.map((changeSet) => this.#entry(changeSet));
    this.#next = page.next;
    this.#entries.push(...entries);
    this.#list.append(...entries.map(({ element }) => element));
    entries[0]?.element.querySelector("button")?.focus({ preventScroll: true });
    this.#showState();
  }

  /** What was changed since the newest that is listed, and what of these is taken back by now. */
  async #news() {
    const loading = this.#loading;
    const page = await this.#try(() => this.#api.timeline(this.#filters.values));
    if (!page || loading !== this.#loading) return;
    this.#unsaved.hidden = !page.unsavedSince;
    const known = new Map(this.#entries.map((entry) => [entry.changeSet.id, entry]));
    if (page.results.length && !page.results.some(({ id }) => known.has(id))) return this.#load();
    for (const changeSet of page.results) known.get(changeSet.id)?.tell(changeSet);
    const fresh = page.results.filter(({ id }) => !known.has(id)).map((changeSet) => this.#entry(changeSet));
    for (const { element } of fresh) element.classList.add("fresh");
    this.#entries.unshift(...fresh);
    this.#list.prepend(...fresh.map(({ element }) => element));
    this.#showState();
  }

  #entry(changeSet) {
    return new Entry(changeSet, this.#dialog !== null, {
      load: (id) => this.#api.changeSet(id),
      more: (address) => this.#api.page(address),
      compare: (entry, chosen) => this.#compare.pick(entry, chosen),
      only: (session) => this.#filters.onlySession(session),
      goTo: (id) => this.#goTo(id),
      rollBack: (title, scope, of) => this.#dialog.open(title, scope, of),
    });
  }

  /** Shows another change set of this object, however old it is. */
  async #goTo(id) {
    const loading = this.#loading;
    const found = () => this.#entries.find(({ changeSet }) => changeSet.id === id)?.element;
    for (let pages = 0; !found() && this.#next && pages < MOST_PAGES; pages += 1) {
      await this.#older();
      if (loading !== this.#loading) return;
    }
    if (!found()) this.#say("info", t("It is not among the changes that are listed here."));
    found()?.scrollIntoView({ block: "center" });
    found()?.querySelector("button")?.focus({ preventScroll: true });
  }

  #showState() {
    this.#more.hidden = !this.#next;
    this.#filters.offer([...new Set(this.#entries.map(({ changeSet }) => changeSet.actor).filter(Boolean))]);
    if (this.#entries.length) return;
    const text = this.#filters.active ? t("Nothing found") : t("Nothing was changed yet.");
    this.#list.replaceChildren(html("li", { class: "history-nothing" }, text));
  }

  #try(ask) {
    return unlessRefused(ask, ({ message }) => {
      this.#say("error", message);
      return null;
    });
  }

  #say(kind, ...content) {
    this.#said.replaceChildren(html("div", { class: `notice ${kind} history-said` }, ...content));
  }

  // Rolling back

  #rolledBack(changeSet) {
    const undo = textButton(t("Undo"), () => this.#undo(changeSet));
    this.#say("success", html("span", {}, t("Rolled back: {what}", { what: changeTitle(changeSet.diff) })), undo);
    this.#refresher.ask();
  }

  /** Takes a roll back of its own back; where later edits are in the way, the dialog shows them. */
  async #undo(changeSet) {
    const scope = { changeSet: changeSet.id };
    try {
      await this.#api.rollBack(scope, {});
      this.#say("success", t("The roll back was taken back."));
      this.#refresher.ask();
    } catch (refusal) {
      if (refusal.code === "conflict") this.#dialog.open(t("This change"), scope, changeSet);
      else this.#say("error", refusal.message);
    }
  }
}

/** All of the history as a file, whatever the filters say. */
function exports(api) {
  const links = [["csv", "CSV"], ["json", "JSON"], ["pdf", "PDF"]].map(([format, text]) =>
    html("a", { class: "button", href: api.exportAs(format), download: "" }, text));
  const label = t("Export all changes");
  return html("div", { class: "history-exports", role: "group", "aria-label": label }, html("span", {}, label), ...links);
}

customElements.define("graph-history", GraphHistory);
