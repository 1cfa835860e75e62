/* The open conversation: what it holds, and everything a person can do in it. Views read it and call it.
 *
 * Events: "change" (anything shown changed), "refused" {text, message} (a request was turned down; text goes back to
 * the composer), "event" {frame} (one new event was folded).
 */

import { t } from "../../graphs/strings.js";
import { rememberAsked } from "./asked-answers.js";
import {
  emptyTranscript, fold, fromPage, hasGap, isRunning, withAccepted, withDecided, withKept, withOlder, withRated, withUnsent,
  withWaiting, withoutUnsent,
} from "./transcript.js";

const ENDS = new Set(["ai:complete", "ai:error"]);

export class Conversation extends EventTarget {
  /** The connection may outlive the panel: it is read until `signal` fires. */
  constructor({ api, socket, context, memory, signal }) {
    super();
    Object.assign(this, { api, socket, context, memory });
    /** What the next conversation is opened with, and what only the next answer gets; "" where nobody chose. */
    this.model = "";
    this.once = "";
    /** Rises whenever another conversation is shown, and as a change of this one is sent and answered. */
    this.generation = 0;
    this.changes = 0;
    this.reset(null);
    socket.addEventListener("frame", ({ detail }) => this.receive(detail), { signal });
    socket.addEventListener("open", () => this.resume(), { signal });
  }

  reset(id) {
    this.generation += 1;
    this.id = id;
    this.stream = null;
    this.session = null;
    this.transcript = emptyTranscript();
    this.older = null;
    this.loading = false;
    this.loadError = null;
    /** A choice was sent and its effect has not been seen yet; likewise a stop. */
    this.answering = false;
    this.stopping = false;
    this.once = "";
    this.outbox = [];
    this.resubscribedAt = -1;
  }

  get title() {
    return this.transcript.title ?? this.session?.title ?? "";
  }

  get running() {
    return isRunning(this.transcript) || this.outbox.length > 0;
  }

  /** What the reader may do: "owner", "write" or "read". */
  get access() {
    return this.session?.access ?? "owner";
  }

  rename(title) {
    this.session = { ...this.session, title };
    this.transcript = { ...this.transcript, title };
  }

  /** It was put away or brought back, from the list. */
  archived(id, archived) {
    if (id !== this.id) return;
    this.session = { ...this.session, archived };
    this.changed();
  }

  /** A proposal as it is now, which may be one of this conversation. */
  decided(proposal) {
    const before = this.transcript;
    this.transcript = withDecided(before, proposal);
    if (this.transcript !== before) this.changed();
  }

  /** `change` is {model} or {requireValidation}; true when the server took it. */
  async changeSession(change) {
    const { id } = this;
    this.changes += 1;
    try {
      const session = await this.api.changeSession(id, change);
      if (id === this.id) this.session = { ...this.session, ...session };
      return true;
    } catch (error) {
      this.refuse("", error.message);
      return false;
    } finally {
      this.changes += 1;
    }
  }

  /** A model for the next answer only, or from now on. */
  async chooseModel(model, once) {
    const { id } = this;
    this.once = once ? model : "";
    if (!once && !id) this.model = model;
    this.changed();
    if (once || !id) return;
    await this.changeSession({ model });
    this.changed();
  }

  /** Whether the model is sent a message; the server's event tells every window. */
  async keep(messageId, inPrompt) {
    const { id } = this;
    try {
      await this.api.keepMessage(messageId, inPrompt);
      if (id === this.id) this.transcript = withKept(this.transcript, { messageId, inPrompt });
    } catch (error) {
      this.refuse("", error.message);
    }
    this.changed();
  }

  /** What the server stored of the reader's vote on an answer; null where it took none. */
  async rate(messageId, given) {
    const { id } = this;
    try {
      const feedback = await this.api.rate(messageId, given);
      if (id !== this.id) return null;
      this.transcript = withRated(this.transcript, { messageId, feedback });
      this.changed();
      return feedback;
    } catch (error) {
      this.refuse("", error.message);
      this.changed();
      return null;
    }
  }

  startNew() {
    this.leave();
    this.reset(null);
    this.memory.rememberSession(null);
    this.changed();
  }

  async open(id) {
    this.leave();
    this.reset(id);
    this.memory.rememberSession(id);
    await this.load();
  }

  async load() {
    const { id } = this;
    this.loading = this.transcript.messages.length === 0;
    this.loadError = null;
    this.changed();
    try {
      const [session, page] = await Promise.all([this.api.session(id), this.api.messages(id)]);
      if (id === this.id) this.loaded(session, page);
    } catch (error) {
      if (id === this.id) this.failedToLoad(error);
    }
  }

  loaded(session, page) {
    this.session = session;
    this.stream = page.streamId ?? session.streamId ?? null;
    this.older = page.previous ?? null;
    this.transcript = this.outbox.reduce(withUnsent, withWaiting(fromPage(page), session.waiting));
    this.loading = false;
    this.resubscribedAt = -1;
    this.changed();
    this.subscribe();
  }

  failedToLoad(error) {
    if (error.status === 404) {
      this.startNew();
      this.refuse("", t("This conversation no longer exists."));
      return;
    }
    this.loading = false;
    this.loadError = error.message;
    this.changed();
  }

  async loadOlder() {
    const { id, older } = this;
    if (!older) return;
    this.older = null;
    try {
      const page = await this.api.page(older);
      if (id !== this.id) return;
      this.transcript = withOlder(this.transcript, page);
      this.older = page.previous ?? null;
    } catch (error) {
      if (id !== this.id) return;
      this.older = older;
      this.refuse("", error.message);
    }
    this.changed();
  }

  /** Shows the message at once and sends it as soon as there is a connection; the key makes a repeat harmless. */
  send(written) {
    const text = clean(written);
    if (!text) return;
    const localId = `local-${crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`}`;
    const frame = { type: "ai:chat", message: text, idempotencyKey: localId.slice(6) };
    const message = { localId, text, frame, createdAt: new Date().toISOString() };
    this.transcript = withUnsent(this.transcript, message);
    const model = this.once || (this.id ? "" : this.model);
    if (model) message.frame.model = model;
    this.once = "";
    this.outbox.push(message);
    this.changed();
    this.deliver(message);
  }

  /** Messages of a new conversation go one after the other: the first one's answer names the conversation. */
  async deliver(message) {
    if (this.socket.state !== "open" || message.sent || (!this.id && this.outbox[0] !== message)) return;
    message.sent = true;
    const place = this.id ? { sessionId: this.id } : this.context ? { context: this.context } : {};
    const answer = await this.socket.request({ ...message.frame, ...place });
    message.sent = false;
    if (!answer || !this.outbox.includes(message)) return;
    this.outbox = this.outbox.filter((each) => each !== message);
    if (answer.type === "ai:accepted") this.accepted(message, answer);
    else this.withdraw(message, answer);
    this.outbox.forEach((each) => this.deliver(each));
  }

  /** A refusal that names no request: it can only mean the oldest message that has no answer yet. */
  refusedUnasked(frame) {
    const message = this.outbox.find(({ sent }) => sent);
    if (!message) {
      this.refuse("", frame.message || frame.error);
      return;
    }
    this.outbox = this.outbox.filter((each) => each !== message);
    this.withdraw(message, frame);
    this.outbox.forEach((each) => this.deliver(each));
  }

  accepted({ localId, text }, answer) {
    const draft = this.memory.draft(this.id);
    this.memory.rememberDraft(this.id, "");
    this.memory.rememberDraft(answer.sessionId, draft.trim() === text ? "" : draft);
    const isNew = !this.id;
    if (isNew) {
      this.id = answer.sessionId;
      this.stream = answer.stream;
      this.session = { id: answer.sessionId, title: "", streamId: answer.stream, requireValidation: false };
      this.session.model = this.model;
      this.memory.rememberSession(this.id);
    }
    this.transcript = withAccepted(this.transcript, localId, answer);
    this.asked(answer);
    this.changed();
    if (isNew && this.stopping) this.end();
  }

  /** Other pages say when the answer is there; a stop has none. */
  asked({ runId, sessionId, messageId, stream }) {
    if (!runId) return;
    const address = this.context ? location.pathname : "";
    rememberAsked({ runId, sessionId, messageId, stream, workspace: this.api.workspace, address });
  }

  withdraw({ localId, text }, { error, message }) {
    this.transcript = withoutUnsent(this.transcript, localId);
    this.stopping &&= this.running;
    this.refuse(text, message || error || t("The message was not taken. Try again."));
    this.changed();
  }

  /** Ends the answer, which leaving it does not; that of a new conversation once the server has named it. */
  async interrupt() {
    if (this.stopping) return;
    this.stopping = true;
    this.changed();
    if (this.id) await this.end();
  }

  async end() {
    if (!(await this.ask({ type: "ai:interrupt" }))) this.stopping = false;
    this.changed();
  }

  /** The same again; otherwise than before with `choice`, {correction} or {correction: "model", model}. */
  retry(choice = {}) {
    return this.choose({ type: "ai:retry", ...choice });
  }

  /** Asks the question of an answer again, of a stronger model. */
  deepen(messageId) {
    return this.choose({ type: "ai:deepen", messageId });
  }

  /** {continue: boolean} after a limit of tool rounds, {answer} after a question. */
  answer(choice) {
    return this.choose({ type: "ai:resume", ...choice });
  }

  async choose(frame) {
    if (this.answering) return;
    this.answering = true;
    this.changed();
    if (!(await this.ask(frame))) this.answering = false;
    this.changed();
  }

  /** True when the server took it. */
  async ask(frame) {
    const about = frame.messageId ? {} : { sessionId: this.id };
    const answer = await this.socket.request({ ...frame, ...about });
    if (answer === null) this.refuse("", t("The connection was lost. Try again in a moment."));
    else if (answer.type === "ai:error") this.refuse("", answer.message || answer.error);
    else if (answer.type === "ai:accepted") this.asked(answer);
    return answer !== null && answer.type !== "ai:error";
  }

  receive(frame) {
    const unasked = frame._id === undefined || frame._id === null;
    if (frame.sequence === undefined) {
      if (frame.type === "ai:unsubscribed" && unasked && this.concerns(frame)) this.load();
      if (frame.type === "ai:error" && unasked) this.refusedUnasked(frame);
      return;
    }
    if (!this.concerns(frame)) return;
    if (hasGap(this.transcript, frame)) {
      this.catchUp();
      return;
    }
    const before = this.transcript;
    this.transcript = fold(before, frame);
    if (this.transcript === before) return;
    this.resubscribedAt = -1;
    this.answering = false;
    this.stopping &&= isRunning(this.transcript);
    const { type, model, archived } = frame;
    if (this.session && type === "ai:session_updated" && archived !== undefined) {
      this.session = { ...this.session, archived };
    }
    if (this.session && type === "ai:session_updated" && (model ?? this.session.model) !== this.session.model) {
      this.session = { ...this.session, model, modelAvailable: true };
    }
    if (this.session && this.transcript.title) this.session.title = this.transcript.title;
    this.changed();
    if (ENDS.has(frame.type)) this.refreshSession();
    this.dispatchEvent(new CustomEvent("event", { detail: frame }));
  }

  /** What only the server knows: what the conversation has used in all, as it may have pages that were not loaded, and
   * what its being shared changed. */
  async refreshSession() {
    const { id, changes } = this;
    const session = await this.api.session(id).catch(() => null);
    if (!session || id !== this.id) return;
    const { usage, access } = session;
    const { requireValidation } = changes === this.changes ? session : this.session;
    this.session = { ...this.session, usage, requireValidation, access };
    this.changed();
  }

  concerns(frame) {
    if (!this.id) return false;
    return this.stream ? frame.stream === this.stream : frame.sessionId === this.id;
  }

  /** Reads on from the last good event, once for each place where something is missing. */
  catchUp() {
    if (this.resubscribedAt === this.transcript.last) return;
    this.resubscribedAt = this.transcript.last;
    this.subscribe();
  }

  async subscribe() {
    const { id } = this;
    if (!id || this.loading) return;
    const answer = await this.socket.request({ type: "ai:subscribe", sessionId: id, after: this.transcript.last });
    if (answer?.type !== "ai:error" || id !== this.id) return;
    if (answer.code === "not_found") this.failedToLoad({ status: 404 });
    else if (this.resubscribedAt !== Infinity) {
      this.resubscribedAt = Infinity;
      this.load();
    }
  }

  resume() {
    this.resubscribedAt = -1;
    this.answering = false;
    this.stopping &&= !this.id;
    if (this.id && this.session) this.subscribe();
    else if (this.id && !this.loading) this.load();
    this.outbox.forEach((message) => this.deliver(message));
  }

  /** A running answer stays subscribed: one that nobody reads is stopped by the server after a while. */
  leave() {
    for (const { text } of this.outbox) this.memory.rememberDraft(this.id, text);
    if (this.id && this.stream && !this.running) this.socket.request({ type: "ai:unsubscribe", stream: this.stream });
  }

  refuse(text, message) {
    this.dispatchEvent(new CustomEvent("refused", { detail: { text, message } }));
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** Without what no server takes: NUL, and halves of characters. */
function clean(text) {
  return text.replace(/\0/g, "").replace(/\p{Surrogate}/gu, "\ufffd").trim();
}
