/* The conversations of this object: switch, share, rename in place, archive and bring back, delete after asking; and those that others share. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { agoText, momentText } from "../words.js";
import { iconButton, textButton } from "./buttons.js";
import { SharingCard } from "./sharing.js";

const TITLE_CHARACTERS = 200;

export class ConversationsMenu {
  /** `actions` are {open(id), startNew, removed(id), renamed(id, title), archived(id, archived), shared(id), closed}; `below` are shown below the list. */
  constructor(sessions, context, below, actions) {
    this.sessions = sessions;
    this.context = context;
    this.actions = actions;
    this.current = null;
    /** {id, mode: "rename" | "delete" | "share"} of the row that is being changed. */
    this.changing = null;
    this.list = h("ul", { class: "sessions" });
    this.sharedList = h("ul", { class: "sessions" });
    const heading = h("h3", { class: "menu-heading", text: t("Shared with you") });
    this.others = h("div", { class: "menu-others", hidden: true }, heading, this.sharedList);
    this.note = h("p", { class: "menu-note", role: "status" });
    this.more = textButton(t("Show older"), () => sessions.loadMore(), "older");
    this.which = textButton("", () => this.showArchived(!sessions.archived), "which");
    const startNew = () => this.choose(actions.startNew);
    const words = h("span", { text: t("New conversation") });
    const create = h("button", { class: "menu-new", type: "button", on: { click: startNew } }, icon("plus"), words);
    const looks = { class: "menu", role: "dialog", "aria-label": t("Conversations"), hidden: true };
    this.element = h(
      "div",
      { ...looks, on: { keydown: (event) => this.keyed(event) } },
      create, h("div", { class: "menu-scroll" }, this.list, this.note, this.more, this.others), this.which,
      ...below.map(({ element }) => element),
    );
    sessions.addEventListener("change", () => this.refreshed());
  }

  get open() {
    return !this.element.hidden;
  }

  show(current) {
    this.current = current;
    this.changing = null;
    this.element.hidden = false;
    // Why something was refused was read, if it stood here.
    if (this.told === this.sessions.refused) this.sessions.refused = null;
    this.showArchived(false);
    this.focusFirst();
  }

  /** Those that were put away, or the others. */
  showArchived(archived) {
    this.changing = null;
    this.sessions.list(archived);
    this.render();
    this.sessions.refresh();
  }

  focusFirst() {
    this.element.querySelector(".menu-new").focus();
  }

  hide() {
    this.element.hidden = true;
    this.actions.closed();
  }

  choose(act) {
    this.hide();
    act();
  }

  keyed(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (this.changing) this.change(null);
      else this.hide();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event);
  }

  move(event) {
    if (event.target.matches("select, input")) return;
    const places = [...this.element.querySelectorAll(".menu-new, .session-open")];
    const at = places.indexOf(this.element.getRootNode().activeElement);
    if (at < 0) return;
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    places[Math.max(0, Math.min(places.length - 1, next))].focus();
  }

  change(changing) {
    const id = (changing ?? this.changing)?.id;
    this.changing = changing;
    this.render();
    const row = this.list.querySelector(`[data-id="${CSS.escape(id ?? "")}"]`);
    row?.querySelector(".session-rename input, .sharing-head .button, .session-confirm .button:last-child, .session-open")?.focus();
  }

  /** News from the server: a title that is being typed is not taken away. */
  refreshed() {
    if (!this.open || this.list.querySelector(".session-rename:focus-within, .sharing")) return;
    if (this.shown === this.looks()) return;
    const focused = this.element.getRootNode().activeElement;
    const row = focused?.closest?.("[data-id]");
    const at = row ? [...row.querySelectorAll("button")].indexOf(focused) : -1;
    this.render();
    if (row) this.element.querySelectorAll(`[data-id="${CSS.escape(row.dataset.id)}"] button`)[Math.max(at, 0)]?.focus();
  }

  /** All that is listed, as text: rows that did not change are not drawn anew below somebody's finger. */
  looks() {
    const { items, shared, next, error, loaded, archived } = this.sessions;
    const rows = [...items, ...shared].map((item) => [item.id, titleOf(item), item.owner, item.context?.id, agoText(item.updatedAt)]);
    return JSON.stringify([rows, next, error, loaded, archived, this.changing, this.current]);
  }

  render() {
    this.shown = this.looks();
    const { items, shared, next, error, loaded, archived } = this.sessions;
    this.sharedList.replaceChildren(...shared.map((item) => this.sharedRow(item)));
    this.others.hidden = shared.length === 0;
    this.list.replaceChildren(...items.map((item) => this.row(item)));
    this.more.hidden = !next;
    const none = archived ? t("No archived conversations.") : t("No conversations yet.");
    this.note.textContent = error ?? (loaded && items.length === 0 ? none : "");
    this.told = error;
    this.which.textContent = archived ? t("Back to the conversations") : t("Archived conversations");
  }

  row(item) {
    const mode = this.changing?.id === item.id ? this.changing.mode : "show";
    const shapes = { rename: this.renameForm, delete: this.confirmation, share: this.sharing, show: this.entry };
    const name = item.id === this.current ? "session current" : "session";
    return h("li", { class: name, data: { id: item.id } }, ...shapes[mode].call(this, item));
  }

  sharedRow(item) {
    const name = item.id === this.current ? "session current" : "session";
    return h("li", { class: name, data: { id: item.id } }, this.opener(item, item.owner));
  }

  sharing(item) {
    const done = () => {
      this.change(null);
      this.actions.shared(item.id);
    };
    return [new SharingCard(this.sessions.api, item, done).element];
  }

  entry(item) {
    const title = titleOf(item);
    const begin = (mode) => () => this.change({ id: item.id, mode });
    return [
      this.opener(item, ""),
      iconButton("share", t("Share {title}", { title }), "session-tool", begin("share")),
      iconButton("pencil", t("Rename {title}", { title }), "session-tool", begin("rename")),
      this.archiving(item, title),
      iconButton("trash", t("Delete {title}", { title }), "session-tool", begin("delete")),
    ];
  }

  /** The button that opens a conversation; `owner` is its owner's name where that is somebody else. */
  opener(item, owner) {
    const click = () => this.choose(() => this.actions.open(item.id));
    const about = this.context ? "" : item.context?.id;
    const open = h(
      "button",
      { class: "session-open", type: "button", title: momentText(item.updatedAt), on: { click } },
      h("span", { class: "session-title", text: titleOf(item), dir: "auto" }),
      h("span", { class: "session-time", text: [owner, about, agoText(item.updatedAt)].filter(Boolean).join(" · ") }),
    );
    if (item.id === this.current) open.setAttribute("aria-current", "true");
    return open;
  }

  archiving(item, title) {
    const { archived } = this.sessions;
    const [picture, label] = archived
      ? ["retry", t("Bring {title} back", { title })]
      : ["archive", t("Archive {title}", { title })];
    return iconButton(picture, label, "session-tool", () => this.archive(item, !archived));
  }

  async archive(item, archived) {
    this.focusFirst();
    if (await this.sessions.archive(item.id, archived)) this.actions.archived(item.id, archived);
  }

  renameForm(item) {
    const limits = { type: "text", maxLength: TITLE_CHARACTERS };
    const field = h("input", { class: "field", ...limits, value: item.title, "aria-label": t("Title") });
    const save = h("button", { class: "icon-button", title: t("Save"), "aria-label": t("Save") }, icon("check"));
    const form = h("form", { class: "session-rename" }, field, save);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.rename(item, field.value.trim());
    });
    return [form];
  }

  async rename(item, title) {
    this.change(null);
    if (!title || title === item.title) return;
    if (await this.sessions.rename(item.id, title)) this.actions.renamed(item.id, title);
  }

  confirmation(item) {
    const keep = textButton(t("Keep"), () => this.change(null));
    const remove = textButton(t("Delete"), () => {
      remove.disabled = keep.disabled = true;
      this.remove(item);
    }, "danger");
    const text = h("span", { text: t("Delete this conversation?") });
    const label = t("Delete {title}", { title: titleOf(item) });
    return [h("div", { class: "session-confirm", role: "group", "aria-label": label }, text, remove, keep)];
  }

  async remove(item) {
    this.changing = null;
    this.focusFirst();
    if (await this.sessions.remove(item.id)) this.actions.removed(item.id);
  }
}

function titleOf(item) {
  return item.title || t("Untitled");
}

/** A way to the replay of the open conversation, where it is the reader's own. */
export class ReplayLink {
  constructor(workspace) {
    this.workspace = workspace;
    this.element = h("a", { class: "menu-link", hidden: true }, icon("retry"), h("span", { text: t("Replay this conversation") }));
  }

  update(session) {
    this.element.hidden = !session || (session.access ?? "owner") !== "owner";
    if (this.element.hidden) return;
    const query = `?workspace=${encodeURIComponent(this.workspace)}`;
    this.element.href = `/conversations/${encodeURIComponent(session.id)}/replay/${query}`;
  }
}

/** The conversation's own level of the policy: ask before every change, also where others would let it through. */
export class AskAlways {
  /** `change` takes {requireValidation} and gives true when it was taken. */
  constructor(change) {
    this.box = h("input", { type: "checkbox", id: "ask-always", role: "switch", on: { change: () => this.turned() } });
    this.change = change;
    this.session = null;
    /** Whether to ask, by the ids of conversations whose change is on its way. */
    this.chosen = new Map();
    const label = h("label", { htmlFor: "ask-always", text: t("Ask before every change") });
    const note = h("small", { id: "ask-always-note" });
    note.textContent = t("In this conversation, also where an administrator allows changes without asking.");
    this.box.setAttribute("aria-describedby", note.id);
    this.element = h("div", { class: "ask-always", hidden: true }, this.box, label, note);
  }

  /** `session` is null before a conversation has begun. */
  update(session) {
    this.session = session;
    this.element.hidden = session?.requireValidation === undefined;
    this.draw();
  }

  /** What was chosen stands until the server has answered. */
  draw() {
    const { id, requireValidation } = this.session ?? {};
    this.box.checked = this.chosen.get(id) ?? Boolean(requireValidation);
  }

  /** One after the other: which of two the server got last nobody would know. */
  async turned() {
    const { id } = this.session;
    if (!this.chosen.has(id)) {
      const requireValidation = this.box.checked;
      this.chosen.set(id, requireValidation);
      const taken = await this.change({ requireValidation });
      this.chosen.delete(id);
      if (taken && this.session?.id === id) this.session = { ...this.session, requireValidation };
    }
    this.draw();
  }
}
