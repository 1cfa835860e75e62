/* Shows objects that answers mention and calls are about by their titles, linked to their pages. The server says which there are, for who reads; the others are shown as they were written. */

import { h } from "./elements.js";

const ASK_AFTER_MS = 60;
const MOST_ASKED = 100;
/** Stands for a mention until the server has said whether it has a title. */
const WAITING = "…";

export class Mentions {
  constructor(api) {
    this.api = api;
    this.links = new Map();
    this.wanted = new Set();
    this.waiting = new Set();
    this.answered = null;
  }

  /** Shows the links of a piece of the page that are known, and asks for the others: gives when they came, or null. */
  fill(element) {
    let answered = null;
    for (const place of element.querySelectorAll("span[data-mention]")) {
      const { mention } = place.dataset;
      if (this.links.has(mention)) link(place, this.links.get(mention));
      else {
        hold(place);
        this.wanted.add(mention);
        this.waiting.add(element);
        this.answered ??= new Promise((resolve) => setTimeout(resolve, ASK_AFTER_MS)).then(() => this.ask());
        answered = this.answered;
      }
    }
    return answered;
  }

  /** Asks anew about an object that has changed, when it is mentioned next: its title may be another one. */
  forget(object) {
    this.links.delete(`${object?.type}:${object?.id}`);
  }

  async ask() {
    const [asked, elements] = [[...this.wanted].slice(0, MOST_ASKED), this.waiting];
    Object.assign(this, { wanted: new Set(), waiting: new Set(), answered: null });
    const answer = await this.api.links(asked).catch(() => null);
    if (answer === null) return elements.forEach(release);
    for (const name of asked) this.links.set(name, null);
    for (const found of answer.results) this.links.set(`${found.object.type}:${found.object.id}`, found);
    for (const element of elements) this.fill(element);
    return undefined;
  }
}

/** Whether a mention is shown by its title. */
export function hasTitle(place) {
  return place.textContent !== WAITING && place.textContent !== written(place);
}

function written(place) {
  return `{{${place.dataset.mention}}}`;
}

/** Once: what the server did not answer about is not hidden again. */
function hold(place) {
  if (place.dataset.asked !== undefined || place.textContent !== written(place)) return;
  place.dataset.asked = "";
  place.textContent = WAITING;
}

function release(element) {
  for (const place of element.querySelectorAll("span[data-mention]")) show(place);
}

function show(place) {
  if (place.textContent === WAITING) place.textContent = written(place);
}

/** Only to pages: an address comes from a row that anybody may have written. Without one, or in a button, the title. */
function link(place, found) {
  if (place.querySelector("a")) return;
  if (!found) {
    show(place);
    return;
  }
  const url = found.url && URL.canParse(found.url, document.baseURI) ? new URL(found.url, document.baseURI) : null;
  if (place.closest("button") || !["http:", "https:"].includes(url?.protocol)) {
    place.textContent = found.title;
    place.dir = "auto";
    return;
  }
  const looks = { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow", dir: "auto", text: found.title };
  place.replaceChildren(h("a", looks));
}
