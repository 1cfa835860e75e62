// Rolling back: what would come of it, conflicts with later edits and what to leave out, the reason, and then doing it.

import { diffList, unshown } from "../diff.js";
import { visible } from "../diff/visible.js";
import { html, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";
import { conflictList } from "./conflicts.js";
import { FieldChoice } from "./field-choice.js";

/** More than this is not offered one by one. */
const MOST_CHOICES = 200;
const LONGEST_REASON = 2000;

const nameOf = ({ graph, object, field }) => `${graph} ${object.type} ${object.id} ${field}`;
const wordsOf = (...parts) => visible(parts.filter(Boolean).join(" · "));

export class RollbackDialog {
  #api;
  #done;
  #scope = null;
  #digest = null;
  /** {graph, object, field} by name. */
  #leaveOut = new Map();
  #asked = 0;
  #ready = false;
  #title = html("h2", { id: "rollback-title" });
  #choice;
  #said = html("div", { role: "status" });
  #conflicts = html("div", {});
  #result = html("div", { class: "rollback-result" });
  #parts = html("div", {});
  #reason = html("textarea", { rows: "2", maxlength: LONGEST_REASON });
  #do = textButton(t("Roll back"), () => this.#carryOut(), { class: "button primary" });

  /** `done(change set)` is called when it was rolled back. */
  constructor(api, done) {
    this.#api = api;
    this.#done = done;
    this.#choice = new FieldChoice(api, (id) => this.#pickField(id));
    const cancel = textButton(t("Cancel"), () => this.element.close(), { class: "button" });
    this.element = html(
      "dialog",
      { class: "rollback", "aria-labelledby": "rollback-title" },
      this.#title,
      this.#choice.element,
      this.#said,
      this.#conflicts,
      this.#result,
      this.#parts,
      html("label", { class: "field" }, t("Reason"), this.#reason),
      html("div", { class: "actions" }, this.#do, cancel),
    );
    this.element.addEventListener("close", () => this.#choice.hide());
  }

  /** Asks about `scope`; one field of `changeSet` is picked first, where the scope names none. */
  async open(title, scope, changeSet) {
    this.#title.textContent = t("Roll back: {what}", { what: title });
    this.#scope = scope;
    this.#reason.value = "";
    this.#choice.hide();
    this.#empty();
    this.element.showModal();
    if (scope.modification === null) await this.#try(() => this.#choice.offer(changeSet));
    else await this.#preview();
  }

  /** Nothing is known yet of what will be asked now. */
  #empty() {
    this.#asked += 1;
    this.#leaveOut.clear();
    this.#digest = null;
    this.#setReady(false);
    for (const part of [this.#said, this.#conflicts, this.#result, this.#parts]) part.replaceChildren();
  }

  async #pickField(id) {
    this.#scope = { modification: id };
    this.#empty();
    if (id !== null) await this.#preview();
  }

  #setReady(ready) {
    this.#ready = ready;
    this.#do.disabled = !ready;
  }

  /** What would come of it now. Of several that were asked for, the last one counts. */
  async #preview() {
    this.#asked += 1;
    const asked = this.#asked;
    this.#setReady(false);
    const wish = { preview: true, leaveOut: [...this.#leaveOut.values()].map(partOf) };
    const answer = await this.#try(() => this.#api.rollBack(this.#scope, wish));
    if (!answer || asked !== this.#asked) return;
    this.#digest = answer.digest;
    this.#setReady(answer.conflicts.length === 0 && answer.diff.length > 0);
    this.#show(answer);
  }

  #show({ diff, conflicts, conflictCount, total }) {
    const part = document.activeElement?.dataset.part;
    const nothing = !diff.length && !conflicts.length;
    this.#said.replaceChildren(...(nothing ? [html("p", { class: "notice" }, t("Nothing would change."))] : []));
    const blocked = conflicts.length ? [conflictList(conflicts, conflictCount, (some) => this.#leave(some))] : [];
    this.#conflicts.replaceChildren(...blocked);
    const title = conflicts.length ? t("Without the conflicts, this would come of it") : t("This will come of it");
    const result = diff.length ? [html("h3", {}, title), diffList(diff), unshown(total - diff.length)] : [];
    this.#result.replaceChildren(...result);
    this.#parts.replaceChildren(...this.#partList(diff));
    if (part) this.element.querySelector(`[data-part="${CSS.escape(part)}"]`)?.focus();
  }

  #leave(parts) {
    for (const part of parts) this.#leaveOut.set(nameOf(part), part);
    this.#preview();
  }

  /** Every field of the result, and what was left out, to leave out or to take in again. */
  #partList(diff) {
    const left = [...this.#leaveOut.values()];
    const parts = [
      ...diff.flatMap(partsOf),
      ...left.map((part) => ({ words: wordsOf(part.object.id, part.field), ...part, left: true })),
    ];
    if (parts.length < 2 && !left.length) return [];
    const boxes = parts.slice(0, MOST_CHOICES).map((part) => this.#partBox(part));
    const summary = html("summary", {}, t("Leave something out"));
    return [html("details", { class: "rollback-parts", open: left.length > 0 }, summary, ...boxes)];
  }

  #partBox({ graph, object, field, words, left }) {
    const name = nameOf({ graph, object, field });
    const box = html("input", { type: "checkbox", checked: !left, "data-part": name });
    box.addEventListener("change", () => {
      if (box.checked) this.#leaveOut.delete(name);
      else this.#leaveOut.set(name, { graph, object, field, words });
      this.#preview();
    });
    return html("label", {}, box, html("span", { dir: "auto" }, words));
  }

  async #carryOut() {
    this.#do.disabled = true;
    const reason = this.#reason.value.trim();
    const wish = { digest: this.#digest, leaveOut: [...this.#leaveOut.values()].map(partOf), reason };
    const done = await this.#try(() => this.#api.rollBack(this.#scope, wish));
    this.#do.disabled = !this.#ready;
    if (!done) return;
    this.element.close();
    this.#done(done);
  }

  /** What `ask` gives; null where it was refused, which is said. What went stale is shown anew. */
  #try(ask) {
    return unlessRefused(ask, async ({ code, message }) => {
      if (code === "stale") await this.#preview();
      this.#said.replaceChildren(html("p", { class: "notice error" }, message));
      return null;
    });
  }
}

/** A part as the API knows it. */
function partOf({ graph, object, field }) {
  return { graph, object, field };
}

/** What can be left out of an entry: each field of what changes, the whole of what comes or goes. */
function partsOf({ graph, object, label, action, fields }) {
  if (action !== "update") return [{ graph, object, field: "", words: wordsOf(label || object.id) }];
  return fields.map(({ field, label: name }) => ({ graph, object, field, words: wordsOf(label || object.id, name) }));
}
