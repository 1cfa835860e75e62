// What happens to an object as a whole: looked through, moved, copied, deleted; and what its page says once it is gone.

import { html, textButton } from "../dom.js";
import { Refusal, unlessRefused } from "../requests.js";
import { t } from "../strings.js";
import { numberText } from "../words.js";
import { openDialog } from "./dialog.js";
import { HolderChoice } from "./holder-choice.js";

export class WholeObject {
  #page;
  #api;
  #left;
  #moved;

  /** `left()` is called when there is nothing to edit any more, `moved(made)` as its page is about to come anew elsewhere. */
  constructor(page, api, { left, moved }) {
    this.#page = page;
    this.#api = api;
    this.#left = left;
    this.#moved = moved;
    const asked = { move: () => this.#move(), copy: () => this.#copy(), delete: () => this.#delete() };
    for (const button of page.querySelectorAll("[data-ask]")) {
      button.addEventListener("click", () => asked[button.dataset.ask]());
    }
    page.addEventListener("click", ({ target }) => target.closest?.("[data-trust]") && this.#trust(target));
    const { deletion, actor } = page.dataset;
    if (deletion) this.#showGone({ id: deletion, actor });
  }

  get #title() {
    return document.getElementById("title").textContent.trim();
  }

  /** An editor has looked through what came by a file. */
  #trust(button) {
    button.disabled = true;
    const seen = new URLSearchParams({ untrustedSince: button.dataset.trust });
    return unlessRefused(async () => {
      await this.#api.request("POST", `${this.#api.path}/trust?${seen}`);
      button.closest("[data-untrusted]").remove();
    }, ({ message }) => {
      button.disabled = false;
      this.#page.querySelector("[data-trust-problem]").textContent = message;
    });
  }

  /** As the page would say it now: what stands further below may have come since it was loaded. */
  async #counts() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" }).catch(() => null);
    const now = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : document;
    const found = now.querySelector("[data-counts]") ?? this.#page.querySelector("[data-counts]");
    return JSON.parse(found.dataset.counts);
  }

  async #delete() {
    const counts = await this.#counts();
    const parts = counts.map(([kinds, count]) => `${kinds} (${numberText(count)})`).join(", ");
    const goes = parts
      ? t("All that it holds goes with it: {parts}. The deletion can be undone.", { parts })
      : t("It holds nothing else. The deletion can be undone.");
    openDialog(t("Delete {name}?", { name: this.#title }), t("Delete"), [html("p", {}, goes)], async () => {
      const { id, actor } = await this.#api.change("delete_object", {});
      return () => {
        this.#showGone({ id, actor });
        // The news of it may have come first: the dialog did not let the focus go.
        this.#page.querySelector("[data-gone]").focus();
      };
    }, "danger");
  }

  #move() {
    const { holderKind, holderLabel, holder, holderTitle, holderPlace, holds } = this.#page.querySelector('[data-ask="move"]').dataset;
    const now = { key: holder, title: holderTitle, place: holderPlace };
    const choice = new HolderChoice(this.#api, { kind: holderKind, label: holderLabel, now, holds: JSON.parse(holds) });
    openDialog(t("Move {name}", { name: this.#title }), t("Move"), [choice.element], async () => {
      const parent = choice.chosen;
      if (parent === holder) throw new Refusal(409, { detail: t("It stands there already. Choose another place.") });
      this.#moved(await this.#api.change("move_object", { parent: parent ? `${holderKind}:${parent}` : null }));
      location.reload();
    });
  }

  #copy() {
    const box = html("input", { type: "checkbox", name: "children" });
    const { counts } = this.#page.querySelector("[data-counts]").dataset;
    const holds = JSON.parse(counts).length > 0;
    const also = holds ? [html("label", { class: "check" }, box, " ", t("Also what it holds"))] : [];
    openDialog(t("Duplicate {name}", { name: this.#title }), t("Duplicate"), also, async () => {
      const { url } = await this.#api.request("POST", `${this.#api.path}/copy`, { children: box.checked });
      location.assign(`${url}${new URL(this.#page.dataset.list, location.href).search}`);
    });
  }

  /** It is not there any more: says who deleted it. */
  async gone() {
    await unlessRefused(async () => {
      const { results } = await this.#api.timeline({});
      const { type, id } = this.#api.ref;
      const deleted = ({ modifications }) =>
        modifications?.some(({ action, object }) => action === "delete" && object.type === type && object.id === id);
      if (results.length && deleted(results[0])) this.#showGone(results[0]);
    }, () => {});
  }

  #showGone({ id, actor }) {
    if (this.#page.querySelector("[data-gone]")) return;
    this.#left();
    const said = html("p", { class: "field-error", role: "alert" });
    const undo = textButton(t("Undo"), () => this.#bringBack(id, undo, said));
    const { list } = this.#page.dataset;
    const all = list ? html("a", { class: "button small", href: list }, t("To the list")) : null;
    const title = actor ? t("This was deleted by {person}.", { person: actor }) : t("This was deleted.");
    const editable = this.#page.dataset.editable !== undefined;
    const notice = html(
      "section",
      { class: "notice warning", role: "alert", tabindex: "-1", "data-gone": true },
      html("h2", {}, title),
      html("div", { class: "actions" }, editable ? undo : null, all),
      said,
    );
    const typed = this.#typed();
    if (typed.length) notice.append(typedHere(typed));
    // Whoever takes the deletion back brings the page back, too.
    const back = ({ detail }) => detail.changeSets.includes(id) && location.reload();
    document.addEventListener("countersign:taken-back", back);
    const over = "[data-panel], [data-undo], object-live, .page-tabs, .facts, .graph-actions, [data-edit]";
    for (const part of this.#page.querySelectorAll(over)) part.remove();
    (this.#page.querySelector(".graph-head") ?? this.#page.firstElementChild).after(notice);
    notice.focus();
  }

  /** What somebody writes in the fields just now: [label, text]. */
  #typed() {
    const forms = [...this.#page.querySelectorAll("form.field-form")];
    const texts = forms.map((form) => [...form.querySelectorAll("textarea, input")].map(({ value }) => value).filter(Boolean).join("\n"));
    return forms.map((form, at) => [form.closest("[data-path]").dataset.label, texts[at]]).filter(([, text]) => text);
  }

  async #bringBack(id, undo, said) {
    undo.disabled = true;
    try {
      await this.#api.rollBack({ changeSet: id }, {});
      location.reload();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      said.textContent = error.message;
      undo.disabled = false;
    }
  }
}

function typedHere(typed) {
  const words = t("What you typed is kept in this tab. It stands in its fields again when the deletion is taken back.");
  const texts = typed.flatMap(([label, text]) => [html("dt", {}, label), html("dd", { dir: "auto" }, text)]);
  return html("div", { "data-typed": true }, html("p", {}, words), html("dl", { class: "typed" }, ...texts));
}
