/* The conversations of this object: switch, rename in place, delete after asking, older ones, and the choice of model. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { agoText, momentText } from "../words.js";

const TITLE_CHARACTERS = 200;

export class ConversationsMenu {
  /** `actions` are {open(id), startNew, removed(id), renamed(id, title), closed}. */
  constructor(sessions, context, actions) {
    this.sessions = sessions;
    this.context = context;
    this.actions = actions;
    this.current = null;
    /** {id, mode: "rename" | "delete"} of the row that is being changed. */
    this.changing = null;
    this.list = h("ul", { class: "sessions" });
    this.note = h("p", { class: "menu-note", role: "status" });
    this.more = h("button", { class: "button older", type: "button", text: t("Show older"), on: { click: () => sessions.loadMore() } });
    this.models = h("div", { class: "models", hidden: true });
    const create = h("button", { class: "menu-new", type: "button", on: { click: () => this.choose(actions.startNew) } }, icon("plus"), h("span", { text: t("New conversation") }));
    this.element = h(
      "div",
      { class: "menu", role: "dialog", "aria-label": t("Conversations"), hidden: true, on: { keydown: (event) => this.keyed(event) } },
      create, h("div", { class: "menu-scroll" }, this.list, this.note, this.more), this.models,
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
    this.render();
    this.sessions.refresh();
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

  /** A select where there is a choice; `choose` takes the model's id. */
  offerModels({ results, default: standard }, chosen, choose) {
    if (results.length < 2) return;
    const select = h("select", { id: "model", on: { change: () => choose(select.value) } });
    select.append(...results.map(({ id, label }) => h("option", { value: id, text: label || id })));
    select.value = chosen || standard || results[0].id;
    this.models.replaceChildren(h("label", { htmlFor: "model", text: t("Model") }), select);
    this.models.hidden = false;
  }

  keyed(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (this.changing) this.change(null);
      else this.hide();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.move(event);
  }

  move(event) {
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
    row?.querySelector("input, .session-confirm .button:last-child, .session-open")?.focus();
  }

  /** News from the server: a title that is being typed is not taken away. */
  refreshed() {
    if (!this.open || this.list.querySelector(".session-rename:focus-within")) return;
    const focused = this.element.getRootNode().activeElement?.closest?.("[data-id]")?.dataset.id;
    this.render();
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"] button`)?.focus();
  }

  render() {
    const { items, next, error, loaded } = this.sessions;
    this.list.replaceChildren(...items.map((item) => this.row(item)));
    this.more.hidden = !next;
    this.note.textContent = error ?? (loaded && items.length === 0 ? t("No conversations yet.") : "");
  }

  row(item) {
    const mode = this.changing?.id === item.id ? this.changing.mode : "";
    const content = mode === "rename" ? this.renameForm(item) : mode === "delete" ? this.confirmation(item) : this.entry(item);
    return h("li", { class: item.id === this.current ? "session current" : "session", data: { id: item.id } }, ...content);
  }

  entry(item) {
    const title = titleOf(item);
    const open = h(
      "button",
      {
        class: "session-open", type: "button", "aria-current": item.id === this.current ? "true" : undefined,
        title: momentText(item.updatedAt), on: { click: () => this.choose(() => this.actions.open(item.id)) },
      },
      h("span", { class: "session-title", text: title, dir: "auto" }),
      h("span", { class: "session-time", text: [this.context ? "" : item.context?.id, agoText(item.updatedAt)].filter(Boolean).join(" · ") }),
    );
    return [
      open,
      this.tool("pencil", t("Rename {title}", { title }), () => this.change({ id: item.id, mode: "rename" })),
      this.tool("trash", t("Delete {title}", { title }), () => this.change({ id: item.id, mode: "delete" })),
    ];
  }

  renameForm(item) {
    const field = h("input", { class: "field", type: "text", value: item.title, maxLength: TITLE_CHARACTERS, "aria-label": t("Title") });
    const form = h("form", { class: "session-rename" }, field, h("button", { class: "icon-button", title: t("Save"), "aria-label": t("Save") }, icon("check")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.rename(item, field.value.trim());
    });
    return [form];
  }

  async rename(item, title) {
    this.change(null);
    if (!title || title === item.title) return;
    await this.sessions.rename(item.id, title);
    if (!this.sessions.error) this.actions.renamed(item.id, title);
  }

  confirmation(item) {
    const remove = h("button", { class: "button danger", type: "button", text: t("Delete"), on: { click: () => this.remove(item) } });
    const keep = h("button", { class: "button", type: "button", text: t("Keep"), on: { click: () => this.change(null) } });
    const text = h("span", { text: t("Delete this conversation?") });
    return [h("div", { class: "session-confirm", role: "group", "aria-label": t("Delete {title}", { title: titleOf(item) }) }, text, remove, keep)];
  }

  async remove(item) {
    this.changing = null;
    if (await this.sessions.remove(item.id)) this.actions.removed(item.id);
    this.element.querySelector(".menu-new").focus();
  }

  tool(name, label, click) {
    return h("button", { class: "icon-button session-tool", type: "button", title: label, "aria-label": label, on: { click } }, icon(name));
  }
}

function titleOf(item) {
  return item.title || t("Untitled");
}
