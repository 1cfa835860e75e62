/* The queue as a list; the page and the second tab of the chat panel show the same. */

import { t } from "../../graphs/strings.js";
import { arrange, h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { Mentions } from "../widget/mentions.js";
import { textButton } from "../widget/view/buttons.js";
import { EntryView } from "./entry.js";
import { entryTitle, stateText } from "./words.js";

export class QueueList {
  /** `open` shows the conversation of an entry here and says true, or leaves that to its link. */
  constructor({ queue, api, socket, workspace, open }) {
    this.queue = queue;
    this.views = new Map();
    this.known = null;
    const cancel = (id) => queue.cancel(id);
    const retry = (id) => queue.retry(id);
    this.context = { api, socket, workspace, mentions: new Mentions(api), open, cancel, retry };
    this.list = h("ul", { class: "entries", "aria-label": t("What runs or waits") });
    this.note = h("p", { class: "queue-note", role: "alert", hidden: true });
    this.said = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.empty = emptyState();
    this.failure = failureBox(() => queue.ask());
    const on = { keydown: (event) => this.keyed(event) };
    this.element = h("div", { class: "queue", on }, this.note, this.failure, this.list, this.empty, this.said);
    queue.addEventListener("change", () => this.render());
    queue.addEventListener("refused", ({ detail }) => this.say(detail.message));
  }

  render() {
    const { entries, error } = this.queue;
    const shown = entries ?? [];
    const stays = new Set(shown.map(({ id }) => id));
    for (const [id, view] of this.views) if (!stays.has(id)) this.drop(id, view);
    arrange(this.list, shown.map((entry) => this.view(entry).element));
    this.list.hidden = shown.length === 0;
    this.empty.hidden = entries === null || shown.length > 0;
    this.failure.hidden = !error;
    this.failure.querySelector("p").textContent = error;
    this.announce(shown);
  }

  view(entry) {
    if (!this.views.has(entry.id)) this.views.set(entry.id, new EntryView(this.context));
    const view = this.views.get(entry.id);
    view.update(entry);
    return view;
  }

  drop(id, view) {
    view.close();
    view.unasked();
    this.views.delete(id);
  }

  /** Says what is new, what became of something, and what is over, to who does not see it. */
  announce(entries) {
    const now = new Map(entries.map((entry) => [entry.id, entry]));
    const news = [];
    for (const [id, entry] of this.known ?? []) {
      if (!now.has(id)) news.push(t("{what}: no longer in the queue", { what: entryTitle(entry) }));
    }
    for (const [id, entry] of this.known ? now : []) {
      const { state } = this.known.get(id) ?? {};
      if (state !== entry.state) news.push(`${entryTitle(entry)}: ${stateText(entry.state)}`);
    }
    this.known = now;
    if (news.length > 0) this.said.textContent = news.slice(0, 3).join(". ");
  }

  say(message) {
    this.note.textContent = message;
    this.note.hidden = !message;
  }

  /** j and k go from entry to entry, as in the inbox. */
  keyed(event) {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...this.list.children];
    const at = items.findIndex((item) => item.matches(":focus-within"));
    const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
    next?.querySelector("button, a")?.focus();
    event.preventDefault();
  }

  stop() {
    for (const view of this.views.values()) view.close();
  }
}

function emptyState() {
  return h(
    "div",
    { class: "queue-empty", hidden: true },
    icon("check"),
    h("h2", { text: t("Nothing runs or waits") }),
    h("p", { class: "muted", text: t("Answers that are being written, generations, imports and large embeddings are shown here.") }),
  );
}

function failureBox(again) {
  return h("div", { class: "queue-failure", role: "alert", hidden: true },
    icon("warning"), h("p"), textButton(t("Try again"), again));
}
