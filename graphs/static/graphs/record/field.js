// One field: its value, Edit, and while somebody edits it the form in its place.

import { visible } from "../diff/visible.js";
import { html, textButton } from "../dom.js";
import { Refusal } from "../requests.js";
import { t } from "../strings.js";
import { bothSides } from "./conflict.js";
import { editorOf } from "./editors.js";
import { FieldForm } from "./form.js";
import { NoValue } from "./numbers.js";

/** How long a saved value may take to be shown before the page takes it from the form. */
const SHOWN_MS = 4000;

export class FieldEditor {
  #section;
  #host;
  #form = null;
  #editor = null;
  /** {value, version} that the person saw when they began. */
  #base = null;
  #notice = html("div", { class: "field-notice" });

  /** `host`: api, drafts, done(change set), editing(path, on). */
  constructor(section, host) {
    this.#section = section;
    this.#host = host;
    this.path = section.dataset.path;
  }

  start() {
    this.#button.addEventListener("click", () => this.#open());
    this.#section.append(this.#notice);
    new MutationObserver(() => this.#form && this.#showOthers()).observe(this.#section, { childList: true });
    const draft = this.#host.drafts.get(this.path);
    if (draft) this.#open(draft, { focus: false });
  }

  get #button() {
    return this.#section.querySelector("[data-edit]");
  }

  /** Where the value stands; the page puts another element there when it changes. */
  get #shown() {
    return this.#section.querySelector("[data-value]");
  }

  get #now() {
    const { value, version } = this.#shown.dataset;
    return { value: JSON.parse(value), version: Number(version) };
  }

  /** With a draft {raw, base} it goes on where it was left. */
  #open(draft = null, { focus = true } = {}) {
    if (this.#form) return;
    this.#base = draft?.base ?? this.#now;
    const { look, limit, label, choices = "[]" } = this.#section.dataset;
    const options = { limit: Number(limit) || null, label, choices: JSON.parse(choices), axes: this.#axes };
    this.#editor = editorOf(look, this.#base.value, options, draft?.raw);
    this.#form = new FieldForm(this.#editor, {
      save: () => this.#save(),
      close: () => this.#close(),
      typed: () => this.#typed(),
    });
    this.#notice.replaceChildren();
    this.#section.classList.add("editing");
    this.#notice.before(this.#form.element);
    this.#button.hidden = true;
    this.#host.editing(this.path, true);
    this.#showOthers();
    if (focus) this.#editor.focus();
  }

  get #axes() {
    return JSON.parse(this.#shown.dataset.axes ?? "[]");
  }

  #typed() {
    if (this.#editor.changed) this.#host.drafts.keep(this.path, { raw: this.#editor.raw(), base: this.#base });
    else this.#host.drafts.forget(this.path);
  }

  #close({ focus = true } = {}) {
    this.#form.element.remove();
    this.#form = null;
    this.#section.classList.remove("editing");
    this.#button.hidden = false;
    this.#host.drafts.forget(this.path);
    this.#host.editing(this.path, false);
    if (focus) this.#button.focus();
  }

  async #save() {
    let value;
    try {
      value = this.#editor.value();
    } catch (error) {
      return this.#form.refuse([error instanceof NoValue ? error.message : t("This is no JSON.")]);
    }
    if (!this.#editor.changed) return this.#close();
    this.#form.wait(true);
    try {
      const made = await this.#host.api.change("update_object", { updates: { [this.path]: value } }, this.#base.version);
      this.#host.done(made);
      await this.#until(versionIn(made, this.#host.api.ref), value);
      this.#close();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#form.wait(false);
      this.#refused(error, value);
    }
  }

  #refused(refusal, value) {
    const conflict = refusal.conflicts.find(({ field }) => field === this.path);
    if (conflict) return this.#form.ask(this.#sides(conflict, value));
    const sentences = Object.values(refusal.errors).flat();
    this.#form.refuse((sentences.length ? sentences : [refusal.message]).map((one) => this.#sentence(one)));
  }

  /** What is refused begins with its path, which stands here already. */
  #sentence(text) {
    const column = this.path.split(".")[0];
    const own = [this.path, column].find((each) => text.startsWith(`${each}: `));
    if (own) return visible(text.slice(own.length + 2));
    return visible(text.startsWith(`${this.path}.`) ? this.#within(text.slice(this.path.length + 1)) : text);
  }

  /** What is wrong within the value, "0.weight: This …": which entry it is, and what its parts are called. */
  #within(text) {
    const colon = text.indexOf(": ");
    const names = JSON.parse(this.#section.dataset.names ?? "{}");
    const steps = text.slice(0, colon).split(".").map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : names[step] ?? step));
    const name = /^\d/.test(text) ? [t("Entry {number}", { number: steps[0] }), ...steps.slice(1)].join(", ") : steps.join(", ");
    return t("{name}: {text}", { name, text: text.slice(colon + 2) });
  }

  #sides(conflict, mine) {
    return bothSides(conflict, mine, {
      useMine: () => {
        this.#base = { value: conflict.found, version: conflict.version };
        this.#typed();
        this.#save();
      },
      keepTheirs: () => this.#putAside(conflict),
    });
  }

  /** What was typed is not lost: it can be taken up again. */
  #putAside({ found, version }) {
    const draft = { raw: this.#editor.raw(), base: { value: found, version } };
    this.#close();
    const takeUp = textButton(t("Take mine up again"), () => this.#open(draft));
    const away = textButton(t("Let it go"), () => {
      this.#notice.replaceChildren();
      this.#button.focus();
    });
    const words = html("span", { role: "status" }, t("Theirs was kept. What you typed was put aside."));
    this.#notice.replaceChildren(html("p", { class: "notice" }, words, " ", takeUp, " ", away));
  }

  /** Says that the field has another value by now than the one that the person began with. */
  #showOthers() {
    const { value, version } = this.#now;
    const moved = version > this.#base.version && JSON.stringify(value) !== JSON.stringify(this.#base.value);
    this.#form.warn(moved ? t("This was changed meanwhile. When you save you see both and choose.") : "");
  }

  /** When the page shows this version; where it does not, the value is taken as it was saved. */
  #until(version, value) {
    const there = () => this.#now.version >= version;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        observer.disconnect();
        resolve();
      };
      const observer = new MutationObserver(() => there() && end());
      const timer = setTimeout(() => {
        Object.assign(this.#shown.dataset, { value: JSON.stringify(value), version: String(version) });
        end();
      }, SHOWN_MS);
      observer.observe(this.#section, { childList: true });
      if (there()) end();
    });
  }
}

function versionIn({ objects }, { type, id }) {
  return objects.find((each) => each.type === type && each.id === id)?.version ?? 0;
}
