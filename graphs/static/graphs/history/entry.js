// One change set of the timeline: who, when, through what, why, what in words; its diff; where it came from.

import { diffList, visible } from "../diff.js";
import { html, icon, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";
import { momentText } from "../words.js";
import { causesOf, editedWords, messageLink, originIcon, originWords, whatWords, whoWords } from "./words.js";

export class Entry {
  #callbacks;
  #body = html("div", { class: "history-diff", hidden: true });
  #loaded = false;
  /** Read aloud beside the words of a control, which are those of every other entry. */
  #told;
  #undone = html("span", { class: "history-undone" }, t("was taken back"));

  /**
   * `callbacks`: load(id) -> change set with its diff, more(address) -> the next page of it, compare(entry, chosen),
   * only(session id), rollBack(title, scope, change set), goTo(id of another change set).
   */
  constructor(changeSet, editable, callbacks) {
    this.changeSet = changeSet;
    this.version = changeSet.version;
    this.#callbacks = callbacks;
    this.#told = { "aria-describedby": `history-entry-${changeSet.id}` };
    const onchange = () => callbacks.compare(this, this.compare.checked);
    this.compare = html("input", { type: "checkbox", onchange, ...this.#told });
    const { id, origin, reason } = changeSet;
    this.tell(changeSet);
    const title = html("h3", { dir: "auto" }, whatWords(changeSet));
    const why = reason ? html("p", { class: "history-reason", dir: "auto" }, visible(reason)) : null;
    this.element = html(
      "li",
      { class: "history-entry", "data-change-set": id },
      html("span", { class: "history-origin", title: originWords(origin) }, icon(originIcon(origin), 18)),
      html("div", { class: "history-what" }, title, why, this.#meta(), this.#tools(editable), this.#body),
    );
  }

  /** What may be another than it was: whether it is taken back. */
  tell({ undoneBy }) {
    this.#undone.hidden = !undoneBy;
  }

  #meta() {
    const { changeSet } = this;
    const parts = [
      html("strong", { dir: "auto" }, whoWords(changeSet)),
      html("time", { datetime: changeSet.createdAt }, momentText(changeSet.createdAt)),
      html("span", {}, originWords(changeSet.origin)),
      html("span", {}, t("version {version}", { version: String(this.version) })),
      editedWords(changeSet) ? html("strong", { class: "history-edited", dir: "auto" }, editedWords(changeSet)) : null,
      changeSet.model ? html("span", {}, [changeSet.model, changeSet.promptVersion].filter(Boolean).join(" · ")) : null,
      changeSet.undoes
          ? html("a", { href: "", onclick: (event) => this.#goTo(event) }, t("takes a change back")) : null,
      this.#undone,
      this.#source(),
    ];
    return html("p", { class: "history-meta", id: `history-entry-${changeSet.id}` }, ...parts);
  }

  /** The message that caused it: a link where it is the reader's own, else whose it is. */
  #source() {
    const link = messageLink(this.changeSet);
    if (!link?.url) return link && html("span", { dir: "auto" }, visible(link.text));
    const { message: messageId, session: sessionId } = causesOf(this.changeSet);
    const open = (event) => {
      const wish = { detail: { sessionId, messageId }, cancelable: true };
      if (!document.dispatchEvent(new CustomEvent("countersign:open-message", wish))) event.preventDefault();
    };
    return html("a", { href: link.url, dir: "auto", onclick: open }, visible(link.text));
  }

  #tools(editable) {
    const compare = html("label", { class: "history-compare" }, this.compare, t("Compare"));
    return html("div", { class: "history-tools" }, this.#opener(), compare, this.#only(), editable ? this.#menu() : null);
  }

  #opener() {
    const count = this.changeSet.modificationCount;
    if (count === 0) return null;
    const words = count === 1 ? t("1 change") : t("{count} changes", { count });
    const open = textButton(words, () => this.#toggle(open), { "aria-expanded": "false", ...this.#told });
    return open;
  }

  get #generated() {
    return this.changeSet.origin === "generation";
  }

  #only() {
    const { session } = causesOf(this.changeSet);
    if (!session) return null;
    const words = this.#generated ? t("Only this generation") : t("Only this conversation");
    return textButton(words, () => this.#callbacks.only(session), this.#told);
  }

  #menu() {
    const { changeSet, version } = this;
    const { message, session } = causesOf(changeSet);
    const choices = [
      changeSet.modificationCount > 0 ? [t("This change"), { changeSet: changeSet.id }] : null,
      changeSet.modificationCount > 1 ? [t("One field of it …"), { modification: null }] : null,
      message && !this.#generated ? [t("This turn of the conversation"), { turn: message }] : null,
      session ? [this.#generated ? t("The whole generation") : t("The whole conversation"), { session }] : null,
      [t("Everything since: as of here"), { version }],
    ].filter(Boolean);
    const items = choices.map(([words, scope]) => {
      const chosen = () => {
        menu.open = false;
        menu.querySelector("summary").focus(); // where the reader comes back to
        this.#callbacks.rollBack(words, scope, changeSet);
      };
      return html("li", {}, html("button", { type: "button", onclick: chosen }, words));
    });
    const menu = html(
      "details",
      { class: "menu history-menu" },
      html("summary", { class: "button small", ...this.#told }, t("Roll back …")),
      html("ul", { class: "menu-panel" }, ...items),
    );
    return menu;
  }

  #goTo(event) {
    event.preventDefault();
    this.#callbacks.goTo(this.changeSet.undoes);
  }

  async #toggle(button) {
    const open = this.#body.hidden;
    this.#body.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open || this.#loaded) return;
    this.#loaded = true;
    this.#body.replaceChildren(html("p", { class: "muted", role: "status" }, t("Loading …")));
    try {
      this.#body.replaceChildren(...this.#page(await this.#callbacks.load(this.changeSet.id)));
    } catch (refusal) {
      this.#loaded = false;
      this.#body.replaceChildren(html("p", { class: "notice error", role: "alert" }, refusal.message));
    }
  }

  /** The diff of one page of modifications, and what fetches the next one. */
  #page({ diff, next }) {
    if (!diff.length) return [html("p", { class: "muted" }, t("It is not recorded item by item."))];
    if (!next) return [diffList(diff)];
    const problem = html("p", { class: "notice error", role: "alert", hidden: true });
    const more = textButton(t("Show more"), async () => {
      more.disabled = true;
      await unlessRefused(async () => {
        const page = this.#page(await this.#callbacks.more(next));
        problem.remove();
        more.replaceWith(...page);
      }, ({ message }) => {
        problem.hidden = false;
        problem.textContent = message;
        more.disabled = false;
      });
    });
    return [diffList(diff), problem, more];
  }
}
