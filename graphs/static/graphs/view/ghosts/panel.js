// The box that says how many changes wait, what the signs mean, and lists the proposals to go to.

import { diffList } from "../../diff.js";
import { visible } from "../../diff/visible.js";
import { isMove, proposalTitle, SIGNS } from "../../diff/words.js";
import { html } from "../../dom.js";
import { t } from "../../strings.js";

const MEANINGS = {
  create: () => t("new"), delete: () => t("deleted"), update: () => t("changed"), move: () => t("moved"),
};

function sign(action) {
  return html("i", { class: `sign ${action}`, "aria-hidden": "true" }, SIGNS[action]);
}

function legend() {
  const entries = Object.entries(MEANINGS).map(([action, meaning]) => html("span", {}, sign(action), meaning()));
  return html("p", { class: "legend" }, ...entries);
}

/** How many of which, as signs with numbers. */
function counts({ diff, counts: counted }) {
  const numbers = { create: 0, delete: 0, update: 0, move: 0 };
  const found = counted
    ? Object.values(counted).flatMap(Object.entries)
    : diff.map((entry) => [isMove(entry) ? "move" : entry.action, 1]);
  for (const [action, number] of found) numbers[action] += number;
  const shown = Object.entries(numbers).filter(([, number]) => number);
  const count = ([action, number]) => html("span", { title: MEANINGS[action]() }, sign(action), String(number));
  return html("span", { class: "waiting-counts" }, ...shown.map(count));
}

export class GhostPanel {
  #callbacks;
  #list = html("ol", {});
  #body = html("div", { class: "waiting-list", id: "waiting", hidden: true }, legend(), this.#list);
  #words = html("span", {});
  #button;
  #shown = null;

  /** `callbacks`: chosen(id), left(). */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.#button = html(
      "button",
      {
        type: "button", class: "waiting-button", "aria-expanded": "false", "aria-controls": "waiting",
        onclick: () => this.#toggle(this.#body.hidden),
      },
      html("span", { class: "waiting-dot" }),
      this.#words,
    );
    const label = { class: "waiting", "aria-label": t("Proposed changes"), hidden: true };
    this.element = html("section", label, this.#button, this.#body);
    this.element.addEventListener("keydown", (event) => this.#keydown(event));
  }

  /** `proposals` that wait, and which of them is chosen. */
  show(proposals, chosen) {
    if (this.#shown?.proposals === proposals && this.#shown.chosen === chosen) return;
    this.#shown = { proposals, chosen };
    const focused = this.#rows.indexOf(this.element.getRootNode().activeElement);
    this.element.hidden = proposals.length === 0;
    const text = proposals.length === 1 ? t("1 change waits") : t("{count} changes wait", { count: proposals.length });
    if (this.#words.textContent !== text) this.#words.textContent = text;
    this.#list.replaceChildren(...proposals.map((proposal, index) => this.#row(proposal, index + 1, chosen)));
    if (focused >= 0) this.#rows[Math.min(focused, this.#rows.length - 1)]?.focus();
  }

  get open() {
    return !this.element.hidden && !this.#body.hidden;
  }

  close() {
    this.#toggle(false);
  }

  /** Opens the list and goes to the one that is chosen, or the first; false if nothing waits. */
  enter() {
    if (this.element.hidden) return false;
    this.#toggle(true);
    (this.#rows.find((row) => row.getAttribute("aria-pressed") === "true") ?? this.#rows[0]).focus();
    return true;
  }

  get #rows() {
    return [...this.#list.querySelectorAll("li > button")];
  }

  #row(proposal, number, chosen) {
    const pressed = proposal.id === chosen;
    const { reason } = proposal;
    const why = reason ? html("span", { class: "waiting-why", dir: "auto" }, visible(reason)) : null;
    const button = html(
      "button",
      { type: "button", "aria-pressed": String(pressed), onclick: () => this.#callbacks.chosen(proposal.id) },
      html("span", { class: "waiting-number" }, String(number)),
      html("span", { class: "waiting-words", dir: "auto" }, proposalTitle(proposal)),
      why,
      counts(proposal),
    );
    return html("li", {}, button, pressed ? diffList(proposal.diff) : null);
  }

  #toggle(open) {
    this.#body.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
  }

  #keydown(event) {
    const rows = this.#rows;
    const index = rows.indexOf(event.target.closest("li > button"));
    if (event.key === "Escape") {
      this.#toggle(false);
      this.#callbacks.left();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      rows[(index + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
