// The tabs of the page. Those that talk about something else load it anew.

export class Tabs {
  #links;
  #panels;
  #history;

  constructor(page) {
    this.#links = [...page.querySelectorAll("[data-tab]")];
    this.#panels = [...page.querySelectorAll("[data-panel]")];
    this.#history = page.querySelector("graph-history");
  }

  start() {
    for (const link of this.#links) link.addEventListener("click", (event) => this.#chosen(event, link));
    document.addEventListener("click", (event) => this.#changeChosen(event));
    addEventListener("popstate", () => this.#show(this.#named));
    this.#show(this.#named);
    const change = new URLSearchParams(location.search).get("change");
    if (change) this.#history.showChange(change);
  }

  /** The tab that the address names; the first one where it names none. */
  get #named() {
    const tab = new URLSearchParams(location.search).get("tab");
    return this.#links.some((link) => link.dataset.tab === tab) ? tab : this.#links[0].dataset.tab;
  }

  get #loads() {
    return this.#links.some((link) => "loads" in link.dataset && link.getAttribute("aria-current"));
  }

  #chosen(event, link) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if ("loads" in link.dataset || this.#loads) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    this.#show(link.dataset.tab);
  }

  /** The mark at a field leads to the change in the history. */
  #changeChosen(event) {
    const link = event.target.closest?.("[data-change]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button || this.#loads) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    this.#show("history");
    this.#history.showChange(link.dataset.change);
  }

  #show(tab) {
    for (const panel of this.#panels) panel.hidden = panel.dataset.panel !== tab;
    for (const link of this.#links) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (tab === "history") this.#history.show();
  }
}
