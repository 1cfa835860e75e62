/* The whole chat panel: puts the views together, paints them when something changed, and gives them their actions. */

import { t } from "../../graphs/strings.js";
import { ChatApi } from "./api.js";
import { Approvals } from "./approvals.js";
import { copyText } from "./clipboard.js";
import { Conversation } from "./conversation.js";
import { h } from "./elements.js";
import { Finding } from "./finding.js";
import { icon } from "./icons.js";
import { Memory } from "./memory.js";
import { Mentions } from "./mentions.js";
import { Models } from "./models.js";
import { PageObject } from "./page-object.js";
import { pageSocket } from "./socket.js";
import { Sessions } from "./sessions.js";
import { Announcer } from "./view/announcer.js";
import { Composer } from "./view/composer.js";
import { ExportLinks } from "./view/export.js";
import { Header } from "./view/header.js";
import { AskAlways, ConversationsMenu, ReplayLink } from "./view/menu.js";
import { emptyState, MessageList } from "./view/messages.js";
import { ModelPicker } from "./view/model-picker.js";
import { OtherProposals } from "./view/others.js";
import { Tabs } from "./view/tabs.js";

const PAINT_EVERY_MS = 32;
/** After so many failed attempts REST is asked why: a refused handshake does not say that one is signed out. */
const PROBE_EVERY = 4;
const COPIED_FOR_MS = 1_500;

export class Panel extends EventTarget {
  /** `options` are {socket, api, workspace, context, stream, welcome, mayEdit, userName, close?}.
   *
   * "event" passes on the conversation's events; "node" says that the reader asked to see one; "wanted" that the page
   * asked for something that is shown here.
   */
  constructor(options) {
    super();
    const { context, workspace, stream, mayEdit, welcome } = options;
    Object.assign(this, { context, welcome });
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.memory = new Memory(`${workspace}:${context ? `${context.type}:${context.id}` : ""}`);
    this.api = new ChatApi({ base: options.api, workspace, context, signedOut: () => this.socket.drop("signed-out") });
    this.socket = pageSocket(options.socket, workspace);
    this.sessions = new Sessions(this.api);
    this.models = new Models(this.api);
    const { api, socket, memory } = this;
    this.conversation = new Conversation({ api, socket, context, memory, signal });
    const { conversation } = this;
    this.approvals = new Approvals({ api, conversation, mayDecide: mayEdit, showText: welcome.show });
    this.object = new PageObject({ api, socket, context, stream });
    this.approvals.decisions.addEventListener("changed", ({ detail }) => this.object.decided(detail));
    this.finding = new Finding(this);
    this.mentions = new Mentions(this.api);
    this.painted = { at: 0, due: false, generation: -1 };
    this.build(options);
    this.listen();
  }

  build({ close, userName, mayEdit, workspace }) {
    this.announcer = new Announcer(this.mentions);
    this.header = new Header({ menu: () => this.toggleMenu(), startNew: () => this.startNew(), close });
    this.askAlways = mayEdit ? new AskAlways((change) => this.conversation.changeSession(change)) : null;
    this.exports = new ExportLinks((id, wanted) => this.api.exportOf(id, wanted));
    this.replay = new ReplayLink(workspace);
    const below = [this.exports, this.replay, this.askAlways].filter(Boolean);
    this.menu = new ConversationsMenu(this.sessions, this.context, below, {
      open: (id) => this.open(id),
      startNew: () => this.startNew(),
      removed: (id) => id === this.conversation.id && this.show(null),
      renamed: (id, title) => this.renamed(id, title),
      archived: (id, archived) => this.conversation.archived(id, archived),
      shared: (id) => id === this.conversation.id && this.conversation.refreshSession(),
      closed: () => {
        this.header.title.focus();
        this.schedule();
      },
    });
    this.messages = new MessageList(this.listActions(), emptyState(this.welcome, userName, (text) => this.send(text)));
    this.picker = new ModelPicker(this.models, (id, once) => this.conversation.chooseModel(id, once));
    const sending = {
      send: (text) => this.send(text),
      stop: () => this.conversation.interrupt(),
      draft: (text) => this.memory.rememberDraft(this.conversation.id, text),
    };
    this.composer = new Composer(sending, this.picker.element);
    this.putAway = archivedNote(() => this.bringBack());
    this.banner = h("div", { class: "banner", role: "alert", hidden: true });
    const on = { keydown: (event) => this.keyed(event), click: (event) => this.clicked(event) };
    this.others = new OtherProposals(this.approvals.context);
    this.tabs = new Tabs(this, { workspace });
    const above = [this.header, this.tabs, this.menu, this.tabs.queue, this.messages];
    const under = [this.others, this.approvals.bar, { element: this.putAway }, { element: this.banner }, this.composer, this.announcer];
    const elements = [...above, ...under].map(({ element }) => element);
    this.element = h("section", { class: "panel", "aria-label": t("Chat"), on }, ...elements);
    this.tabs.show("chat");
  }

  listActions() {
    return {
      retry: (choice) => this.conversation.retry(choice),
      answer: (choice) => this.conversation.answer(choice),
      deepen: (id) => this.deepen(id),
      otherModels: (message) => this.models.others(message, this.conversation.session?.model ?? ""),
      about: (message, messages) => this.models.about(message, messages),
      rate: (id, feedback) => this.conversation.rate(id, feedback),
      keep: (id, inPrompt) => this.conversation.keep(id, inPrompt),
      loadOlder: () => this.conversation.loadOlder(),
      reload: () => this.conversation.load(),
      mentions: this.mentions,
      proposals: this.approvals.context,
    };
  }

  listen() {
    this.conversation.addEventListener("change", () => this.schedule());
    this.conversation.addEventListener("refused", ({ detail }) => this.composer.refuse(detail.text, detail.message));
    this.conversation.addEventListener("event", ({ detail }) => this.happened(detail));
    this.addEventListener("wanted", () => this.tabs.show("chat"));
    const { signal } = this.leaving;
    document.addEventListener("countersign:ended", (event) => this.ended(event), { signal });
    this.socket.addEventListener("state", () => this.connectionChanged(), { signal });
    const changed = ({ detail }) => this.mentions.forget(detail.object);
    document.addEventListener("countersign:object-changed", changed, { signal });
    this.object.addEventListener("change", () => this.schedule());
    this.models.addEventListener("change", () => this.schedule());
  }

  /** Connects and opens the conversation that was open in this tab, else the latest about this object. */
  async start() {
    const { signal } = this.leaving;
    this.socket.hold(signal);
    for (const part of [this.finding, this.object, this.approvals]) part.start(signal);
    this.models.load();
    if (await this.finding.asAddressed()) return;
    const remembered = this.memory.openSession();
    if (remembered !== null) {
      await this.show(remembered || null);
      return;
    }
    this.composer.text = this.memory.draft(null);
    this.conversation.loading = true;
    this.schedule();
    const latest = (await this.sessions.refresh()).find(({ context }) => this.context || !context);
    this.conversation.loading = false;
    if (latest && this.untouched) await this.show(latest.id);
    else this.schedule();
  }

  /** Whether nobody has chosen a conversation, begun one or written anything yet. */
  get untouched() {
    const { id, running } = this.conversation;
    return !id && !running && !this.composer.text && this.memory.openSession() === null;
  }

  stop() {
    this.leaving.abort();
    this.tabs.queue.hide();
  }

  focus() {
    if (this.tabs.shown === "queue") this.tabs.buttons.queue.focus();
    else if (this.composer.off) this.header.title.focus();
    else this.composer.focus();
  }

  send(text) {
    this.messages.following = true;
    this.conversation.send(text);
  }

  deepen(id) {
    this.messages.following = true;
    this.conversation.deepen(id);
    // The button that had it goes away.
    this.focus();
  }

  /** The one that is open already stays as it is, unless it could not be loaded. */
  open(id) {
    const { conversation } = this;
    if (id !== conversation.id || conversation.loadError) this.show(id);
    this.focus();
  }

  startNew() {
    this.tabs.show("chat");
    this.show(null);
    this.focus();
  }

  /** Shows a conversation, or with null a new one, and its draft. */
  show(id) {
    const opening = id ? this.conversation.open(id) : this.conversation.startNew();
    this.composer.notify("");
    this.composer.text = this.memory.draft(id);
    return opening;
  }

  renamed(id, title) {
    if (id !== this.conversation.id) return;
    this.conversation.rename(title);
    this.schedule();
  }

  async bringBack() {
    if (!(await this.conversation.changeSession({ archived: false }))) return;
    this.composer.focus();
    this.schedule();
  }

  toggleMenu() {
    this.tabs.show("chat");
    if (this.menu.open) this.menu.hide();
    else {
      const { access, session } = this.conversation;
      this.askAlways?.update(access === "owner" ? session : null);
      this.exports.update(session);
      this.replay.update(session);
      this.menu.show(this.conversation.id);
    }
    this.schedule();
  }

  keyed(event) {
    if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyN") {
      event.preventDefault();
      this.startNew();
    } else if (event.key === "Escape" && this.conversation.running && this.tabs.shown === "chat") {
      event.stopPropagation();
      this.conversation.interrupt();
    }
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (button?.dataset.nodeKey !== undefined) this.showNode(button.dataset.nodeKey);
    else if (button?.matches(".copy-code")) this.copy(button, button.closest(".code").querySelector("pre").textContent);
    else if (button?.dataset.copyMessage) this.copy(button, this.contentOf(button.dataset.copyMessage));
    else if (this.menu.open && !clickedIn(event, this.menu.element, this.header.title)) this.menu.hide();
    if (!clickedIn(event, this.picker.element)) this.picker.hide({ focus: false });
  }

  showNode(key) {
    tell("select-node", { key });
    this.dispatchEvent(new Event("node"));
  }

  contentOf(id) {
    return this.conversation.transcript.messages.find((message) => message.id === id)?.content ?? "";
  }

  async copy(button, text) {
    const copied = await copyText(text);
    this.announcer.say(copied ? t("Copied.") : t("Copying is not allowed here."));
    if (!copied) return;
    button.querySelector(".icon").replaceWith(icon("check"));
    setTimeout(() => button.querySelector(".icon")?.replaceWith(icon("copy")), COPIED_FOR_MS);
  }

  happened(frame) {
    this.announcer.event(frame);
    const { type, object, version, changeSetId, proposalId, status } = frame;
    if (type === "ai:object_changed") tell("object-changed", { object, version, changeSetId });
    if (type === "ai:decision" && status === "applied") tell("applied", { proposalId });
    if (type === "ai:session_updated" && this.menu.open) this.sessions.refresh();
    this.dispatchEvent(new CustomEvent("event", { detail: frame }));
  }

  /** Nobody needs to be told of what stands here. */
  ended(event) {
    const { tabs, conversation, element } = this;
    const seen = !document.hidden && element.checkVisibility();
    if (seen && (tabs.shown === "queue" || conversation.id === event.detail.sessionId)) event.preventDefault();
  }

  connectionChanged() {
    this.announcer.connection(this.socket.state);
    if (this.socket.state === "waiting" && this.socket.failures % PROBE_EVERY === 0) this.api.models().catch(() => {});
    this.schedule();
  }

  /** Paints soon, but never more often than every 32 ms. */
  schedule() {
    if (this.painted.due) return;
    this.painted.due = true;
    const wait = Math.max(0, PAINT_EVERY_MS - (performance.now() - this.painted.at));
    setTimeout(() => requestAnimationFrame(() => this.paint()), wait);
  }

  paint() {
    const { conversation, socket } = this;
    this.painted.due = false;
    this.painted.at = performance.now();
    const fresh = this.painted.generation !== conversation.generation;
    this.painted.generation = conversation.generation;
    const { title, session } = conversation;
    const owner = conversation.access === "owner" ? "" : session.owner;
    this.header.update({ title, state: socket.state, menuOpen: this.menu.open, usage: session?.usage, owner });
    this.messages.update(conversation, fresh);
    this.others.update(this.object.pending, conversation.id);
    const { running, stopping } = conversation;
    this.picker.update({ session: conversation.session, wanted: conversation.model, once: conversation.once });
    const readsOnly = conversation.access === "read";
    const archived = Boolean(session?.archived);
    const owns = conversation.access === "owner";
    this.putAway.hidden = !archived || !owns;
    const hint = placeholder(socket, { readsOnly, archived, owns }, this.welcome);
    const off = socket.unreachable || readsOnly || archived;
    this.composer.update({ running: running && !readsOnly, stopping, off, placeholder: hint });
    this.showBanner();
  }

  showBanner() {
    const { state } = this.socket;
    this.banner.hidden = state !== "signed-out" && state !== "ended";
    if (this.banner.dataset.state === state) return;
    this.banner.dataset.state = state;
    this.banner.replaceChildren(...bannerContent(state));
  }
}

/** Also true where the click has removed its own target since. */
function clickedIn(event, ...elements) {
  return elements.some((element) => event.composedPath().includes(element));
}

function bannerContent(state) {
  if (state !== "ended" && state !== "signed-out") return [];
  const next = encodeURIComponent(location.pathname + location.search);
  const link = h("a", { class: "button primary", href: `/accounts/login/?next=${next}`, text: t("Sign in") });
  const text = state === "ended"
    ? t("Your access has ended. Sign in again, or ask an administrator.")
    : t("You are signed out. Your draft is kept.");
  return [icon("warning"), h("p", { text }), link];
}

/** What stands in the place of writing where a conversation is archived. */
function archivedNote(bringBack) {
  const text = t("This conversation is archived.");
  const button = h("button", { class: "button", type: "button", text: t("Bring it back"), on: { click: bringBack } });
  return h("div", { class: "archived-note", hidden: true }, icon("archive"), h("p", { text }), button);
}

function placeholder(socket, { readsOnly, archived, owns }, welcome) {
  if (readsOnly) return t("Shared with you to read.");
  if (archived) return owns ? t("Bring it back to write in it.") : t("This conversation is archived.");
  return socket.unreachable ? t("Not connected. Your draft is kept.") : welcome.placeholder;
}

/** Tells the page; the names are part of docs/widget.md. */
function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(`countersign:${name}`, { detail }));
}
