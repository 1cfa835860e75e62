// One field of a change set to choose: a list that comes in pages, and a search where there is more than one.

import { visible } from "../diff/visible.js";
import { html, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";

const TYPING_MS = 250;
const MOST_ROWS = 8;

const wordsOf = ({ object, field }) => visible([object.id, field].filter(Boolean).join(" · "));

export class FieldChoice {
  #api;
  #picked;
  #changeSet = null;
  #next = null;
  #asked = 0;
  #timer = 0;
  #search = html("input", { type: "search", maxlength: "100", oninput: () => this.#later() });
  #searchLabel = html("label", { class: "field", hidden: true }, t("Search these changes"), this.#search);
  #select = html("select", { onchange: () => this.#pick() });
  #field = html("label", { class: "field" }, t("Field"), this.#select);
  #more = textButton(t("Show more"), () => this.#showMore(), { hidden: true });
  #said = html("p", { class: "muted", role: "status" });
  element = html("div", { class: "rollback-choice", hidden: true }, this.#searchLabel, this.#field, this.#said, this.#more);

  /** `picked(id of a modification | null)`; `api` as of api.js. */
  constructor(api, picked) {
    this.#api = api;
    this.#picked = picked;
  }

  /** Offers the fields of a change set; throws what was refused. */
  async offer({ id }) {
    this.#changeSet = id;
    this.#search.value = "";
    this.#select.replaceChildren();
    this.element.hidden = false;
    this.#searchLabel.hidden = true;
    await this.#load();
    this.#searchLabel.hidden = this.#next === null;
  }

  hide() {
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#try(() => this.#load()), TYPING_MS);
  }

  /** Of several searches the last one counts. */
  async #load() {
    this.#asked += 1;
    const asked = this.#asked;
    const page = await this.#api.changeSet(this.#changeSet, this.#search.value.trim());
    if (asked !== this.#asked) return;
    this.#select.replaceChildren();
    this.#add(page);
    this.#said.textContent = page.modifications.length ? "" : t("Nothing found");
    this.#pick();
  }

  async #showMore() {
    const asked = this.#asked;
    this.#more.disabled = true;
    await this.#try(async () => {
      const page = await this.#api.page(this.#next);
      if (asked === this.#asked) this.#add(page);
    });
    this.#more.disabled = false;
  }

  #add({ modifications, next }) {
    this.#select.append(...modifications.map((each) => html("option", { value: each.id }, wordsOf(each))));
    this.#next = next;
    this.#more.hidden = !next;
    const { length } = this.#select.options;
    this.#select.size = next || !this.#searchLabel.hidden ? Math.min(MOST_ROWS, Math.max(2, length)) : 0;
    if (length && this.#select.selectedIndex < 0) this.#select.selectedIndex = 0;
  }

  #pick() {
    this.#picked(this.#select.value ? Number(this.#select.value) : null);
  }

  #try(ask) {
    return unlessRefused(ask, ({ message }) => (this.#said.textContent = message));
  }
}
