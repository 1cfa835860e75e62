/* The scrolling list of messages: follows the newest unless the reader scrolled up. */

import { t } from "../../../graphs/strings.js";
import { h, arrange } from "../elements.js";
import { icon } from "../icons.js";
import { momentText } from "../words.js";
import { textButton } from "./buttons.js";
import { AssistantMessage, UserMessage } from "./message.js";

const NEAR_END_PX = 48;

export class MessageList {
  /** `actions` are {retry, answer, deepen, about, rate, keep, mentions, loadOlder, reload}; `empty` is shown without messages. */
  constructor(actions, empty) {
    this.actions = actions;
    this.empty = empty;
    this.views = new Map();
    this.summary = new SummaryLine();
    this.following = true;
    this.top = 0;
    this.older = textButton(t("Show earlier messages"), actions.loadOlder, "older");
    this.list = h("div", { class: "list", role: "log", "aria-live": "off", "aria-label": t("Messages") });
    this.scroller = h("div", { class: "scroller", tabIndex: 0, on: { scroll: () => this.scrolled() } }, this.list);
    this.jump = h(
      "button",
      { class: "jump", type: "button", hidden: true, on: { click: () => this.toEnd() } },
      icon("down"), h("span", { text: t("Jump to latest") }),
    );
    this.element = h("div", { class: "messages" }, this.scroller, this.jump);
    const sizes = new ResizeObserver(() => this.follow());
    sizes.observe(this.scroller);
    sizes.observe(this.list);
  }

  /** Shows a conversation; `fresh` says it is another one than before. */
  update(conversation, fresh) {
    if (fresh) this.forget();
    const { messages } = conversation.transcript;
    const distance = this.scroller.scrollHeight - this.scroller.scrollTop;
    const first = this.list.querySelector(".message");
    const busy = conversation.answering || conversation.socket.unreachable || conversation.access === "read";
    const owner = conversation.access === "owner" ? "" : conversation.session.owner;
    this.list.classList.toggle("of-another", Boolean(owner));
    const model = conversation.session?.model ?? "";
    const elements = messages.map((message, index) =>
      this.elementOf(message, {
        last: index === messages.length - 1, busy, model, owner, ...this.actions.about(message, messages),
      }));
    arrange(this.list, this.framed(conversation, elements));
    this.dropAbsent(messages);
    if (this.following) this.follow();
    else if (first?.isConnected && first !== this.list.querySelector(".message")) {
      this.scroller.scrollTop = this.scroller.scrollHeight - distance;
    }
  }

  framed(conversation, elements) {
    if (conversation.loadError) return [this.failure(conversation.loadError)];
    if (conversation.loading && elements.length === 0) return [this.placeholder()];
    if (elements.length === 0) return [this.empty];
    const shown = this.summary.among(elements, conversation.transcript.summary, Boolean(conversation.older));
    return conversation.older ? [this.older, ...shown] : shown;
  }

  elementOf(message, context) {
    const key = message.localId ?? message.id;
    if (!this.views.has(key)) {
      this.views.set(key, message.role === "user" ? new UserMessage(this.actions) : new AssistantMessage(this.actions));
    }
    const view = this.views.get(key);
    view.update(message, context);
    return view.element;
  }

  dropAbsent(messages) {
    const present = new Set(messages.map(({ localId, id }) => localId ?? id));
    for (const key of [...this.views.keys()]) if (!present.has(key)) this.views.delete(key);
  }

  forget() {
    this.views.clear();
    this.list.replaceChildren();
    this.following = true;
  }

  placeholder() {
    const lines = [h("i"), h("i"), h("i")];
    this.loadingLines ??= h("div", { class: "skeleton", role: "status", "aria-label": t("Loading…") }, ...lines);
    return this.loadingLines;
  }

  failure(text) {
    const again = textButton(t("Try again"), this.actions.reload);
    return h("div", { class: "error" }, icon("warning"), h("p", { text }), again);
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (atEnd) this.following = true;
    else if (scrollTop < this.top) this.following = false;
    this.top = scrollTop;
    this.jump.hidden = this.following;
  }

  follow() {
    if (!this.following) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.top = this.scroller.scrollTop;
    this.jump.hidden = true;
  }

  toEnd() {
    this.following = true;
    this.follow();
    this.scroller.focus({ preventScroll: true });
  }
}

/** What is shown before the first message. `welcome` is {invitation, questions: [[icon, text]]}; `ask` takes the chosen one. */
export function emptyState(welcome, userName, ask) {
  const buttons = welcome.questions.map(([name, text]) => {
    const click = () => ask(text);
    return h("button", { class: "suggestion", type: "button", on: { click } }, icon(name), h("span", { text }));
  });
  return h(
    "div",
    { class: "empty" },
    h("div", { class: "empty-icon" }, icon("spark")),
    h("h3", { text: userName ? t("Hello, {name}", { name: userName }) : t("Hello") }),
    h("p", { class: "muted", text: welcome.invitation }),
    h("div", { class: "suggestions", role: "group", "aria-label": t("Questions to try") }, ...buttons),
  );
}

/** The line above the first message that the model is still sent: what stands for those before it, to be opened. */
class SummaryLine {
  constructor() {
    this.summary = null;
    this.text = h("div", { class: "summary-text", dir: "auto" });
    this.about = h("p", { class: "summary-about" });
    const words = t("Earlier messages are summarised for the model");
    const head = h("summary", {}, h("span", {}, icon("list"), `\u00a0${words}\u00a0`, icon("chevron")));
    this.element = h("details", { class: "summarised" }, head, this.about, this.text);
  }

  /** The elements with the line before that of the first message which is still sent as it is. */
  among(elements, summary, hasOlder) {
    if (!summary) return elements;
    this.update(summary);
    const at = elements.findIndex((element) => element.dataset.id === summary.before);
    if (at < 0) return hasOlder ? elements : [...elements, this.element];
    return [...elements.slice(0, at), this.element, ...elements.slice(at)];
  }

  update(summary) {
    if (summary === this.summary) return;
    this.summary = summary;
    this.element.title = momentText(summary.createdAt);
    this.about.textContent = t("You still see every message. The model gets this instead, and can look them up.");
    this.text.textContent = summary.content;
  }
}
