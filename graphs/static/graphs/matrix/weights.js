// The weights and thresholds beside the drawing: tried at once, saved as one change of the folder when somebody says so.

import { diffSheet, visible } from "../diff.js";
import { fieldChange } from "../diff/field.js";
import { html, textButton } from "../dom.js";
import { Refusal, unlessRefused } from "../requests.js";
import { t } from "../strings.js";
import { momentText } from "../words.js";

const SOON_MS = 250;
const FIELDS = { value: "valueAxes", complexity: "complexityAxes" };

/** The number in a field; null where it is empty or none. */
const number = (input) => (input.value === "" || !input.validity.valid ? null : input.valueAsNumber);

export class MatrixWeights {
  #timer = 0;
  #asked = 0;

  constructor(view) {
    this.view = view;
    this.api = view.api;
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, diffSheet];
    this.form = view.querySelector("[data-weights]");
    this.saved = JSON.parse(document.getElementById("matrix-config").textContent);
    this.version = Number(view.dataset.version);
    const find = (name) => this.form.querySelector(`[data-${name}]`);
    [this.save, this.discard, this.state, this.trouble] = ["save", "discard", "state", "trouble"].map(find);
    find("buttons").hidden = false;
    this.fill();
    this.form.addEventListener("input", () => this.input());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.tried) this.store();
    });
    this.discard.addEventListener("click", () => this.reset());
    addEventListener("beforeunload", (event) => this.tried && event.preventDefault(), { signal: view.listeners.signal });
  }

  /** Whether the form says something else than what is saved. */
  get tried() {
    return Object.keys(this.updates()).length > 0;
  }

  /** Shows what is saved. */
  fill() {
    for (const [side, field] of Object.entries(FIELDS)) {
      const fieldset = this.form.querySelector(`[data-side="${side}"]`);
      const weights = new Map((this.saved[field] ?? []).map(({ id, weight }) => [id, weight ?? 1]));
      for (const input of fieldset.querySelectorAll("[data-weight]")) input.value = weights.get(input.dataset.weight) ?? "";
      fieldset.querySelector("[data-threshold]").value = this.saved.thresholds?.[side] ?? "";
    }
    this.buttons();
  }

  /** Says from where on a side is high that has no number of its own. */
  tellThresholds(axes) {
    for (const side of Object.keys(FIELDS)) {
      const input = this.form.querySelector(`[data-side="${side}"] [data-threshold]`);
      if (input.value === "") input.placeholder = String(Number(axes[side].threshold.toPrecision(12)));
    }
  }

  /** The configuration as the form has it. */
  config() {
    const config = structuredClone(this.saved);
    for (const [side, field] of Object.entries(FIELDS)) {
      const fieldset = this.form.querySelector(`[data-side="${side}"]`);
      for (const input of fieldset.querySelectorAll("[data-weight]")) {
        const axis = (config[field] ?? []).find(({ id }) => id === input.dataset.weight);
        if (axis && number(input) !== null && number(input) !== (axis.weight ?? 1)) axis.weight = number(input);
      }
      const threshold = number(fieldset.querySelector("[data-threshold]"));
      if (threshold !== (config.thresholds?.[side] ?? null)) config.thresholds = { ...config.thresholds, [side]: threshold };
    }
    return config;
  }

  /** The fields of the folder that the form would change. */
  updates() {
    const config = this.config();
    const fields = [...Object.values(FIELDS), "thresholds"];
    const differs = (field) => JSON.stringify(config[field]) !== JSON.stringify(this.saved[field]);
    return Object.fromEntries(fields.filter(differs).map((field) => [`matrix_config.${field}`, config[field]]));
  }

  input() {
    this.buttons();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.preview(), SOON_MS);
  }

  buttons() {
    this.save.disabled = this.discard.disabled = !this.tried;
    this.state.textContent = this.tried ? t("Tried, not saved.") : "";
    if (!this.form.checkValidity()) this.state.textContent = t("A weight is a number from 0 to 1000; a threshold is at least 0.");
  }

  /** Shows the places by what the form says; of several answers only the last one's counts. */
  async preview() {
    if (!this.form.checkValidity()) return;
    const asked = (this.#asked += 1);
    const { folder, order, page, cell } = this.view.dataset;
    const body = { matrixConfig: this.config(), size: this.view.size, order, page: Number(page), cell };
    try {
      const answer = await this.api.request("POST", `folders/${folder}/matrix/preview`, body);
      if (asked === this.#asked) this.view.take(answer);
    } catch (error) {
      this.refused(error);
    }
  }

  async reset() {
    this.tell();
    this.fill();
    await this.preview();
    this.view.settled();
  }

  /** Saves it all as one change. */
  async store() {
    this.tell();
    this.save.disabled = true;
    const { folder } = this.view.dataset;
    const body = {
      actions: [{ action: "update_object", arguments: { updates: this.updates() } }],
      expected: [{ type: "folder", id: folder, version: this.version }],
    };
    const config = this.config();
    try {
      await this.api.request("POST", `objects/folder/${folder}/changes`, body);
      this.saved = config;
      await this.look();
      this.state.textContent = t("Saved.");
      this.view.settled();
    } catch (error) {
      this.buttons();
      this.refused(error);
    }
  }

  /** What is saved by now, whoever saved it. */
  async look() {
    const { fields, version } = await this.api.request("GET", `objects/folder/${this.view.dataset.folder}`);
    const names = [...Object.values(FIELDS), "thresholds"];
    const kept = names.map((name) => [name, fields[`matrix_config.${name}`]]).filter(([, value]) => value !== null);
    this.saved = Object.fromEntries(kept);
    this.version = version;
    this.view.dataset.version = version;
    this.buttons();
  }

  /** Somebody changed the folder. */
  async news() {
    if (this.tried) return;
    await unlessRefused(
      () => this.look(),
      () => null,
    );
    await this.reset();
  }

  refused(error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "conflict") this.conflict(error.conflicts);
    else this.tell(html("p", {}, Object.values(error.errors).flat()[0] ?? error.message));
  }

  /** Both sides wait for a decision: nothing of either is lost unseen. */
  conflict(conflicts) {
    const lines = conflicts.map(({ by, at, found, wanted, ...field }) => html(
      "li",
      {},
      t("{field}: changed by {person}, {moment}", { field: visible(field.label), person: visible(by), moment: momentText(at) }),
      fieldChange({ ...field, label: t("from theirs to mine"), old: found, new: wanted }),
    ));
    const theirs = async () => {
      await this.look();
      await this.reset();
    };
    const mine = async () => {
      const config = this.config();
      await this.look();
      this.overwrite(config);
      await this.store();
    };
    this.tell(
      html("p", {}, t("Somebody changed the same meanwhile; nothing was saved.")),
      html("ul", {}, ...lines),
      html("div", { class: "actions" }, textButton(t("Show theirs"), theirs), textButton(t("Save mine instead"), mine)),
    );
  }

  /** Puts what was tried over what is saved by now. */
  overwrite(config) {
    for (const input of this.form.querySelectorAll("[data-weight]")) {
      const side = input.closest("[data-side]").dataset.side;
      const axis = (config[FIELDS[side]] ?? []).find(({ id }) => id === input.dataset.weight);
      input.value = axis?.weight ?? 1;
    }
    for (const input of this.form.querySelectorAll("[data-threshold]")) {
      input.value = config.thresholds?.[input.closest("[data-side]").dataset.side] ?? "";
    }
  }

  tell(...content) {
    this.trouble.replaceChildren(...content);
    this.trouble.className = content.length ? "notice warning" : "";
    this.trouble.hidden = !content.length;
  }
}
