/* Says on every page what ended while one was elsewhere: an answer that was asked for on another page of this tab, or in a
 * conversation that is not shown; a generation; an import.
 *
 * Before it says so it asks the page by `countersign:ended` {sessionId, messageId, runId, object, what, kind}: who shows it calls
 * preventDefault. A hidden tab has another one of the same person say it. Hears `countersign:toast` of inbox-link.js, also of
 * what ended since the page before was left; what nobody can have read there is said again here.
 */

import { visible } from "../graphs/diff/visible.js";
import { t } from "../graphs/strings.js";
import { askedAnswers, forgetAsked } from "./widget/asked-answers.js";
import { ChatApi } from "./widget/api.js";
import { leaveBehind, leftBefore } from "./widget/between-pages.js";
import { h } from "./widget/elements.js";
import { FollowedStream } from "./widget/followed-stream.js";
import { openInBubble } from "./widget/opening.js";
import { pageSocket } from "./widget/socket.js";

const SHOWN_MS = 12_000;
/** Who was shown it for less has not read it. */
const READ_MS = 3_000;
const MOST_SHOWN = 3;
const ENDS = new Set(["ai:complete", "ai:error"]);
const FINAL = { complete: "finished", stopped: "stopped", failed: "failed" };

class Toasts {
  constructor({ workspace, api, socket, user }) {
    Object.assign(this, { workspace, user });
    this.api = new ChatApi({ base: api, workspace, context: null });
    this.socket = pageSocket(socket, workspace);
    this.awaited = new Map();
    this.later = [];
    this.known = new Set();
    /** What nobody can have read yet, by its run. */
    this.unread = new Map();
    this.region = h("div", { class: "toasts", role: "status", "aria-live": "polite", "aria-label": t("News") });
    document.body.append(this.region);
    this.tabs = new BroadcastChannel("countersign-toasts");
    this.tabs.addEventListener("message", ({ data }) => this.heard(data));
  }

  async start() {
    const { workspace, user } = this;
    leaveBehind("toasts", () => ({ workspace, user, toasts: [...this.later, ...this.unread.values()] }));
    this.listen();
    await settled();
    const left = leftBefore("toasts");
    if (left?.workspace === workspace && left.user === user) left.toasts.forEach((toast) => this.once(toast));
  }

  listen() {
    askedAnswers().forEach((answer) => this.follow(answer));
    document.addEventListener("countersign:asked", ({ detail }) => this.await(detail));
    this.socket.addEventListener("frame", ({ detail }) => ENDS.has(detail.type) && this.read(detail));
    document.addEventListener("countersign:toast", ({ detail }) => this.told(detail));
    document.addEventListener("visibilitychange", () => !document.hidden && this.caughtUp());
  }

  /** The page's connection reads what was asked for by it, whatever conversation is shown meanwhile. */
  await(answer) {
    const known = answer.workspace !== this.workspace || this.awaited.has(answer.runId);
    if (!known) this.awaited.set(answer.runId, { answer, leaving: new AbortController() });
    return !known;
  }

  /** What was asked for on another page is read from now on; what ended before shows in its message. */
  follow(answer) {
    if (!this.await(answer)) return;
    const stream = new FollowedStream({ api: this.api, socket: this.socket, stream: answer.stream });
    stream.addEventListener("caught-up", () => this.look(answer));
    stream.start(this.awaited.get(answer.runId).leaving.signal);
  }

  read({ type, runId, reason }) {
    const found = this.awaited.get(runId);
    if (found) this.ended(found.answer, type === "ai:error" ? "failed" : reason);
  }

  async look(answer) {
    try {
      const { results } = await this.api.messages(answer.sessionId);
      const outcome = FINAL[results.find(({ id }) => id === answer.messageId)?.status];
      if (outcome) this.ended(answer, outcome);
    } catch (error) {
      if (error.status !== 404) return;
      this.stopReading(answer.runId);
      forgetAsked(answer.runId);
    }
  }

  stopReading(runId) {
    this.awaited.get(runId)?.leaving.abort();
    this.awaited.delete(runId);
  }

  async ended(answer, outcome) {
    const { sessionId, messageId, runId, address } = answer;
    if (!this.awaited.has(runId)) return;
    this.stopReading(runId);
    await settled();
    const silent = outcome === "stopped" || isShown({ sessionId, messageId, runId });
    const session = silent ? null : await this.api.session(sessionId).catch(() => null);
    // Until here the next page would follow it.
    forgetAsked(runId);
    if (!session) return;
    const toast = { ...said(outcome, session.title), sessionId, messageId, runId, address };
    if (document.hidden) this.tellOthers(toast);
    else this.show(toast);
  }

  /** Who began it is told once, in the tab that they look at, else in the one that they look at next. */
  async told({ level, text, person, what, kind, object, runId, sequence }) {
    const toast = { level, text, what, kind, object, runId: runId ?? `news:${sequence}` };
    if (person !== this.user) return;
    this.unread.set(toast.runId, toast);
    await settled();
    this.unread.delete(toast.runId);
    this.once(toast);
  }

  once(toast) {
    if (this.known.has(toast.runId)) return;
    this.known.add(toast.runId);
    if (document.hidden) this.later.push(toast);
    else this.say(toast);
  }

  /** Shows it, unless the page does; either way no other tab says it any more. */
  async say(toast) {
    this.tabs.postMessage({ said: toast.runId, user: this.user, workspace: this.workspace });
    if (isShown(toast)) return;
    this.unread.set(toast.runId, toast);
    const { object, address, sessionId } = toast;
    const found = object ? await this.api.links([`${object.type}:${object.id}`]).catch(() => null) : null;
    const told = { ...toast, address: address || (found?.results[0]?.url ?? "") };
    if (!sessionId && isHere(told.address)) this.unread.delete(toast.runId);
    else this.show(told);
  }

  /** Another tab may say it now; if none does, this one does when somebody looks at it again. */
  tellOthers(toast) {
    this.later.push(toast);
    this.tabs.postMessage({ toast, user: this.user, workspace: this.workspace });
  }

  heard({ toast, said: runId, user, workspace }) {
    if (user !== this.user || workspace !== this.workspace) return;
    if (runId) {
      this.known.add(runId);
      this.unread.delete(runId);
      this.later = this.later.filter((each) => each.runId !== runId);
    } else if (!document.hidden) {
      this.tabs.postMessage({ said: toast.runId, user, workspace });
      if (!isShown(toast)) this.show(toast);
    }
  }

  caughtUp() {
    const late = this.later;
    this.later = [];
    late.forEach((toast) => this.say(toast));
  }

  show(toast) {
    const { level, text, address, sessionId } = toast;
    const read = () => this.unread.delete(toast.runId);
    const close = () => {
      element.remove();
      read();
    };
    const link = address || sessionId ? h("a", { class: "button small", text: t("Show") }) : null;
    if (link) {
      link.href = where(toast, this.workspace);
      link.addEventListener("click", (event) => {
        if (!address && openInBubble(this.workspace, sessionId)) event.preventDefault();
        close();
      });
    }
    const dismiss = h("button", { class: "icon-button", type: "button", text: "×", on: { click: close } });
    dismiss.setAttribute("aria-label", t("Dismiss"));
    const element = h("div", { class: `toast ${level}` }, h("p", { text: visible(text) }), link, dismiss);
    this.unread.set(toast.runId, toast);
    setTimeout(read, READ_MS);
    this.region.append(element);
    while (this.region.children.length > MOST_SHOWN) this.region.firstChild.remove();
    closeLater(element);
  }
}

/** Once the parts of the page are there that may show what ended. */
function settled() {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
}

/** Whether the page shows what ended. */
function isShown(detail) {
  return !document.dispatchEvent(new CustomEvent("countersign:ended", { detail, cancelable: true }));
}

function isHere(address) {
  return Boolean(address) && new URL(address, location.origin).pathname === location.pathname;
}

function said(outcome, title) {
  switch (outcome) {
    case "failed": return { level: "error", text: t("“{title}”: the answer failed.", { title }) };
    case "finished": return { level: "success", text: t("“{title}”: the answer is there.", { title }) };
    default: return { level: "info", text: t("“{title}” waits for you.", { title }) };
  }
}

function where({ address, sessionId, messageId }, workspace) {
  const there = new URL(address || "/", location.origin);
  // What is kept in the tab must not lead elsewhere.
  const safe = there.origin === location.origin ? there : new URL("/", location.origin);
  if (sessionId) safe.searchParams.set("session", sessionId);
  if (messageId) safe.searchParams.set("message", messageId);
  safe.searchParams.set("workspace", workspace);
  return safe.href;
}

/** Not while somebody points at it or is in it. */
function closeLater(element) {
  setTimeout(() => {
    if (element.matches(":hover, :focus-within")) closeLater(element);
    else element.remove();
  }, SHOWN_MS);
}

const link = document.querySelector("[data-inbox-link]");
if (link) new Toasts(link.dataset).start();
