/* The scrolling list of messages: follows the newest unless the reader scrolled up. */

import { t } from "../../../graphs/strings.js";
import { h, arrange } from "../elements.js";
import { icon } from "../icons.js";
import { textButton } from "./buttons.js";
import { AssistantMessage, UserMessage } from "./message.js";
import { SummaryLine } from "./summary.js";

const NEAR_END_PX = 48;

export class MessageList {
  /** `actions` are {retry, answer, deepen, about, keep, mentions, loadOlder, reload}; `empty` is shown without messages. */
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
    const busy = conversation.answering || conversation.socket.unreachable;
    const model = conversation.session?.model ?? "";
    const elements = messages.map((message, index) =>
      this.elementOf(message, {
        last: index === messages.length - 1, busy, model, ...this.actions.about(message, messages),
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
