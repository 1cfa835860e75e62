/* What an answer or a generation says while it is written, shown as conversations show it. */

import { t } from "../../graphs/strings.js";
import { Conversation } from "../widget/conversation.js";
import { h } from "../widget/elements.js";
import { AssistantMessage } from "../widget/view/message.js";
import { GenerationReader } from "./generation-reader.js";

const PAINT_EVERY_MS = 64;
/** It is looked at here, not opened: the tab remembers another one. */
const FORGETFUL = { rememberSession() {}, rememberDraft() {}, draft: () => "" };

export class LiveAnswer {
  /** `mentions` names objects in texts. */
  constructor({ api, socket, mentions }, { id, sessionId, messageId }) {
    // The id of a generation is that of its run.
    Object.assign(this, { named: sessionId ?? id.slice(id.indexOf(":") + 1), messageId });
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const read = { api, socket, signal };
    this.conversation = sessionId
      ? new Conversation({ ...read, context: null, memory: FORGETFUL }) : new GenerationReader(read);
    this.conversation.addEventListener("change", () => this.schedule());
    this.message = new AssistantMessage({ mentions, keep() {} });
    this.note = h("p", { class: "muted", role: "status" });
    this.element = h("div", { class: "live-answer", tabIndex: 0, role: "log", "aria-live": "off" }, this.note);
    this.element.setAttribute("aria-label", t("What is written"));
  }

  start() {
    this.conversation.open(this.named);
  }

  stop() {
    this.leaving.abort();
    clearTimeout(this.timer);
  }

  schedule() {
    this.timer ??= setTimeout(() => this.paint(), PAINT_EVERY_MS);
  }

  paint() {
    this.timer = undefined;
    const { transcript, loading, loadError } = this.conversation;
    const message = transcript.messages.find(({ id }) => id === this.messageId);
    const written = message && (message.content || message.reasoning || message.toolCalls.length > 0);
    this.note.hidden = Boolean(written);
    this.note.textContent = loadError ?? (loading ? t("Loading…") : t("Nothing is written yet."));
    if (!written) return;
    const { element } = this.message;
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const following = scrollHeight - scrollTop - clientHeight < 40;
    if (!element.isConnected) this.element.append(element);
    // What is decided or asked belongs to the conversation: here it is only looked at.
    this.message.update({ ...message, proposals: [], ask: null, error: null }, { last: false, busy: true, model: "" });
    if (following) this.element.scrollTop = this.element.scrollHeight;
  }
}
