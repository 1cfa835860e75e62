// Which object is to hold this one: searched for by name.

import { html } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";

const SHOWN = 50;
const TYPING_MS = 250;

export class HolderChoice {
  #api;
  #kind;
  #now;
  #asked = 0;
  #search = html("input", { type: "search", maxlength: "200", "aria-label": t("Search by name") });
  #list = html("select", { size: "6" });

  /** `now` is the key of what holds it, "" where nothing does. */
  constructor(api, kind, now) {
    this.#api = api;
    this.#kind = kind;
    this.#now = now;
    let timer = 0;
    this.#search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#load(), TYPING_MS);
    });
    this.#load();
  }

  /** The key of the chosen one, null for none. */
  get chosen() {
    return this.#list.value || null;
  }

  field(label) {
    this.#list.setAttribute("aria-label", label);
    return html("div", { class: "field" }, html("span", {}, t("Into which {kind}?", { kind: label })), this.#search, this.#list);
  }

  async #load() {
    this.#asked += 1;
    const asked = this.#asked;
    const query = new URLSearchParams({ type: this.#kind, limit: SHOWN, search: this.#search.value.trim() });
    const page = await unlessRefused(() => this.#api.request("GET", `objects?${query}`), () => ({ results: [] }));
    if (asked !== this.#asked) return;
    const options = page.results.map(({ id, title }) => html("option", { value: id, selected: id === this.#now }, title));
    this.#list.replaceChildren(html("option", { value: "", selected: !this.#now }, t("held by nothing")), ...options);
  }
}
