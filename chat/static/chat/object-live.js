/* <object-live>: keeps a page true while its object changes, whoever changes it.
 *
 * It hears of changes from the chat panel, or reads the object's stream itself. Then it asks for the page again, and puts what
 * elements with `data-field` show there in the place of what they show here. What somebody is in, or has typed into, stays
 * until they leave it. Once the page is gone the element says so.
 */

import { ChatApi } from "./widget/api.js";
import { FollowedStream } from "./widget/followed-stream.js";
import { pageSocket } from "./widget/socket.js";

/** Several changes that come together are shown at once; pages of many people do not ask at the same moment. */
const GATHER_MS = 200;

class ObjectLive extends HTMLElement {
  connectedCallback() {
    const at = (name) => this.getAttribute(name);
    this.object = { type: at("object-type"), id: at("object-id") };
    this.api = new ChatApi({ base: at("api"), workspace: at("workspace"), context: this.object });
    this.stale = false;
    this.again = false;
    this.timer = 0;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const heard = ({ detail }) => (detail.version === null ? this.compare() : this.later());
    document.addEventListener("countersign:object-changed", heard, { signal });
    // What the object holds may be another then, while the object stays as it was.
    for (const name of ["held-changed", "applied", "taken-back"]) {
      document.addEventListener(`countersign:${name}`, () => this.later(), { signal });
    }
    document.addEventListener("visibilitychange", () => this.stale && this.later(), { signal });
    document.addEventListener("focusout", () => this.stale && this.later(), { signal });
    // An open panel reads the object's stream, and tells the page of changes.
    if (!document.querySelector("chat-widget:not([bubble])")) this.follow(pageSocket(at("socket"), at("workspace")), signal);
  }

  disconnectedCallback() {
    this.listeners.abort();
    clearTimeout(this.timer);
  }

  follow(socket, signal) {
    const followed = new FollowedStream({ api: this.api, socket, object: this.object });
    followed.addEventListener("frame", ({ detail }) => this.heard(detail));
    followed.addEventListener("caught-up", ({ detail }) => detail.first && this.compare());
    followed.start(signal);
  }

  /** Tells the page as an open panel would. */
  heard({ type, object, version, changeSetId, kind, count }) {
    if (type === "ai:object_changed") tell("object-changed", { object, version, changeSetId });
    else if (type === "ai:held_changed") tell("held-changed", { object, kind, count, changeSetId });
  }

  /** The page may be older than the first event that was read. No version tells of what the object holds. */
  async compare() {
    if (this.hasAttribute("holds")) return this.later();
    try {
      if (String(await this.api.versionOf(this.object)) !== this.getAttribute("version")) this.later();
    } catch {
      this.later();
    }
  }

  later() {
    this.stale = true;
    if (this.timer) this.again = true;
    else if (!document.hidden) this.timer = setTimeout(() => this.refresh(), GATHER_MS * (1 + Math.random()));
  }

  async refresh() {
    this.stale = false;
    this.again = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      if (answer.ok && !answer.redirected) this.show(await answer.text());
      else if (answer.status === 404 || answer.status === 410) this.tell(this.getAttribute("gone"));
      else this.stale = true;
    } catch {
      this.stale = true; // The next change, or the next look at the page, tries again.
    }
    this.timer = 0;
    if (this.again) this.later();
  }

  show(text) {
    this.tell("");
    const fresh = fields(new DOMParser().parseFromString(text, "text/html"));
    for (const [name, element] of fields(document)) {
      const other = fresh.get(name);
      if (!other || element.isEqualNode(other)) continue;
      if (isBusy(element)) this.stale = true;
      else element.replaceWith(other);
    }
  }

  tell(text) {
    this.textContent = text;
    this.hidden = !text;
  }
}

function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(`countersign:${name}`, { detail }));
}

/** The elements that show a field, by its name and how many came before of the same name. */
function fields(page) {
  const found = new Map();
  const counts = new Map();
  for (const element of page.querySelectorAll("[data-field]")) {
    const { field } = element.dataset;
    counts.set(field, (counts.get(field) ?? 0) + 1);
    found.set(`${counts.get(field)} ${field}`, element);
  }
  return found;
}

function isBusy(element) {
  if (element.contains(document.activeElement)) return true;
  const controls = [element, ...element.querySelectorAll("*")];
  return controls.some(isTyped);
}

/** Whether a control has another value than the page gave it. */
function isTyped(control) {
  if (control.type === "checkbox" || control.type === "radio") return control.checked !== control.defaultChecked;
  if (control instanceof HTMLSelectElement) return [...control.options].some((one) => one.selected !== one.defaultSelected);
  return control.defaultValue !== undefined && control.value !== control.defaultValue;
}

customElements.define("object-live", ObjectLive);
