/* One entry of the queue: what it is, how far it is, why it waits, and what may be done about it. */

import { t } from "../../graphs/strings.js";
import { arrange, h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { textButton } from "../widget/view/buttons.js";
import { agoText, costText, momentText, numberText } from "../widget/words.js";
import { LiveAnswer } from "./live.js";
import { entryTitle, kindText, stateText } from "./words.js";

const ICONS = { answer: "chat", embedding: "search", import: "read", generation: "spark" };
/** How long one is asked whether it shall really be stopped. */
const ASKED_MS = 5_000;

export class EntryView {
  /** `context` is {api, socket, mentions, workspace, cancel, retry, open}. */
  constructor(context) {
    this.context = context;
    this.live = null;
    this.title = h("span", { class: "entry-title", dir: "auto" });
    this.state = h("span", { class: "entry-state" });
    this.about = h("p", { class: "entry-about", dir: "auto" });
    this.reason = h("p", { class: "entry-reason", dir: "auto" });
    this.bar = h("progress");
    this.count = h("span", { class: "entry-count" });
    this.progress = h("div", { class: "entry-progress" }, this.bar, this.count);
    this.watch = textButton(t("Watch"), () => this.toggle());
    this.watch.setAttribute("aria-expanded", "false");
    this.openIt = h("a", { class: "button", text: t("Open") });
    this.openIt.addEventListener("click", (event) => this.opened(event));
    this.stop = textButton("", () => this.stopped(), "danger");
    this.again = textButton("", () => this.act(this.context.retry), "primary");
    this.buttons = h("div", { class: "entry-buttons" });
    this.box = h("div", { class: "entry-live", hidden: true });
    this.kind = h("span", { class: "entry-kind" });
    const head = h("div", { class: "entry-head" }, this.kind, this.title, this.state);
    const parts = [head, this.about, this.progress, this.reason, this.buttons, this.box];
    this.element = h("li", { class: "entry" }, ...parts);
  }

  update(entry) {
    const before = this.entry;
    this.entry = entry;
    if (before?.kind !== entry.kind) this.kind.replaceChildren(icon(ICONS[entry.kind] ?? "list"));
    this.element.dataset.state = entry.state;
    this.element.dataset.id = entry.id;
    setText(this.title, entryTitle(entry));
    setText(this.state, stateText(entry.state));
    setText(this.about, aboutText(entry));
    this.about.title = momentText(entry.since);
    setText(this.reason, entry.reason);
    this.showProgress(entry.progress);
    this.showButtons(entry);
  }

  showProgress(progress) {
    this.progress.hidden = !progress;
    if (!progress) return;
    const { done, total } = progress;
    Object.assign(this.bar, { max: Math.max(1, total), value: done });
    setText(this.count, t("{done} of {total}", { done: numberText(done), total: numberText(total) }));
    this.bar.setAttribute("aria-label", this.count.textContent);
  }

  showButtons(entry) {
    const { sessionId, messageId, mayCancel, mayRetry, state, streamId, url } = entry;
    this.openIt.href = url ? address(entry, this.context.workspace) : "#";
    this.again.textContent = state === "paused" ? t("Go on") : t("Retry");
    if (!this.asked) this.stop.textContent = stopText(entry);
    const shown = [
      messageId && state !== "failed" ? this.watch : null,
      sessionId || (streamId && url) ? this.openIt : null,
      mayRetry ? this.again : null,
      mayCancel ? this.stop : null,
    ].filter(Boolean);
    const had = this.buttons.contains(document.activeElement?.shadowRoot?.activeElement ?? document.activeElement);
    arrange(this.buttons, shown);
    if (had && !this.buttons.querySelector(":focus")) shown[0]?.focus();
    this.buttons.hidden = shown.length === 0;
  }

  opened(event) {
    if (!this.context.open(this.entry)) return;
    event.preventDefault();
  }

  toggle() {
    if (this.live) this.close();
    else {
      this.live = new LiveAnswer(this.context, this.entry);
      this.box.replaceChildren(this.live.element);
      this.live.start();
    }
    this.box.hidden = !this.live;
    this.watch.setAttribute("aria-expanded", String(Boolean(this.live)));
    this.watch.textContent = this.live ? t("Hide") : t("Watch");
  }

  close() {
    this.live?.stop();
    this.live = null;
    this.box.replaceChildren();
  }

  /** What is somebody else's is stopped with a second click only. */
  stopped() {
    if (!this.entry.own && !this.asked) {
      this.asked = setTimeout(() => this.unasked(), ASKED_MS);
      this.stop.textContent = this.entry.person
        ? t("Really stop what {name} waits for?", { name: this.entry.person })
        : t("Really pause it for everybody?");
      return;
    }
    this.unasked();
    this.act(this.context.cancel);
  }

  unasked() {
    clearTimeout(this.asked);
    this.asked = 0;
    this.stop.textContent = stopText(this.entry);
  }

  async act(command) {
    for (const button of [this.stop, this.again]) button.disabled = true;
    await command(this.entry.id);
    for (const button of [this.stop, this.again]) button.disabled = false;
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = !text;
}

/** What belongs to everybody is not stopped for good. */
function stopText({ kind }) {
  return kind === "embedding" ? t("Pause") : t("Stop");
}

function aboutText({ kind, title, objectTitle, person, own, since, model, cost }) {
  const whose = own ? t("yours") : person;
  const price = Number(cost) > 0 ? costText(Number(cost)) : "";
  const about = objectTitle === title ? "" : objectTitle;
  return [kindText(kind), about, whose, agoText(since), model, price].filter(Boolean).join(" · ");
}

/** Where its object and the conversation stand. */
function address({ url, sessionId, messageId }, workspace) {
  const there = new URL(url, location.href);
  if (sessionId) {
    there.searchParams.set("session", sessionId);
    if (messageId) there.searchParams.set("message", messageId);
  }
  there.searchParams.set("workspace", workspace);
  return there.href;
}
