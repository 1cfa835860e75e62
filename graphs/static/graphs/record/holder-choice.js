// Which object is to hold this one: where it stands now, and the places that there are, found by name, a page at a time.

import { html, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";

const SHOWN = 50;
const TYPING_MS = 250;

export class HolderChoice {
  #api;
  #kind;
  #label;
  #now;
  #holds;
  #chosen;
  #asked = 0;
  #next = null;
  #timer = 0;
  #search = html("input", { type: "search", maxlength: "200" });
  #list = html("div", { class: "holder-list" });
  #more = textButton(t("Show more"), () => this.#loadMore(), { hidden: true });
  #said = html("p", { class: "hint", role: "status" });

  /**
   * `kind` and `label` are of what may hold it, `holds` what those hold: {name: several of it}. `now` is {key, title, place} of
   * what holds it, with the key "" where nothing does; `place` is what that is held by.
   */
  constructor(api, { kind, label, now, holds }) {
    this.#api = api;
    this.#kind = kind;
    this.#label = label;
    this.#now = now;
    this.#holds = holds;
    this.#chosen = now.key;
    this.#search.addEventListener("input", () => this.#typed());
    this.#search.addEventListener("keydown", (event) => this.#keyed(event));
    this.#list.addEventListener("change", ({ target }) => (this.#chosen = target.value));
    this.#load();
  }

  /** The key of the chosen one, "" for none. */
  get chosen() {
    return this.#chosen;
  }

  get element() {
    const { key, title, place } = this.#now;
    const here = key ? html("strong", { dir: "auto" }, place ? `${place} / ${title}` : title) : t("held by nothing");
    const legend = html("legend", {}, t("Into which {kind}?", { kind: this.#label }));
    return html(
      "div",
      { class: "field holder-choice" },
      html("p", {}, t("Now in:"), " ", here),
      html("label", {}, t("Search"), this.#search),
      html("fieldset", {}, legend, this.#list, this.#more),
      this.#said,
    );
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), TYPING_MS);
  }

  /** Down goes into the list; Enter does not move anything before a place was looked at. */
  #keyed(event) {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const radios = [...this.#list.querySelectorAll("input")];
    (radios.find((radio) => radio.checked) ?? radios[0])?.focus();
  }

  async #load() {
    const search = this.#search.value.trim();
    const query = new URLSearchParams({ type: this.#kind, limit: SHOWN, children: "true", search });
    await this.#take(() => this.#api.request("GET", `objects?${query}`), (places) => {
      // Without a search "nothing" is a place, too.
      this.#list.replaceChildren(...(search ? [] : [this.#place({ id: "", title: t("held by nothing") })]), ...places);
    });
  }

  async #loadMore() {
    const last = this.#list.lastElementChild;
    await this.#take(() => this.#api.page(this.#next), (places) => this.#list.append(...places));
    last.nextElementSibling?.querySelector("input").focus();
  }

  /** Of several questions only the last one's answer counts. */
  async #take(ask, show) {
    const asked = (this.#asked += 1);
    const page = await unlessRefused(ask, ({ message }) => ({ results: [], next: null, refused: message }));
    if (asked !== this.#asked) return;
    show(page.results.map((each) => this.#place(each)));
    this.#next = page.next;
    this.#more.hidden = !page.next;
    this.#said.textContent = page.refused ?? (this.#list.childElementCount ? "" : t("Nothing found"));
  }

  #place({ id, title, parentTitle, children = {} }) {
    const radio = html("input", { type: "radio", name: "holder", value: id });
    radio.checked = id === this.#chosen;
    const counts = Object.entries(children).map(([name, count]) =>
      t("{name}: {text}", { name: this.#holds[name] ?? name, text: count }));
    const told = [parentTitle, ...counts, id === this.#now.key ? t("it stands here now") : ""].filter(Boolean).join(" · ");
    const words = html("span", {}, html("span", { dir: "auto" }, title), told ? html("small", { dir: "auto" }, told) : null);
    return html("label", {}, radio, words);
  }
}
