// The panel about one node: what it is, its code, its data, its handles and its neighbours.

import { html, icon, iconButton } from "../dom.js";
import { ICONS } from "../icons.js";
import { t } from "../strings.js";
import { numberText } from "../words.js";
import { noteText } from "./canvas/draw-note.js";
import { nodeBadge } from "./canvas/node-badge.js";
import { highlighted, LANGUAGE_NAMES, languageOf } from "./highlight.js";
import { jsonTree } from "./json-tree.js";
import { neighbourList, rowWords } from "./rows.js";

const SIDE_NAMES = { R: () => t("right"), L: () => t("left"), T: () => t("top"), B: () => t("bottom") };
const NEIGHBOURS_AT_ONCE = 40;

function copyButton(text, label) {
  const button = iconButton(ICONS.copy, label, async () => {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    button.classList.toggle("done", Boolean(copied));
    button.replaceChildren(icon(copied ? ICONS.check : ICONS.copy));
    setTimeout(() => button.replaceChildren(icon(ICONS.copy)), 1600);
  });
  return button;
}

function section(title, tools, ...content) {
  return html("section", {}, html("div", { class: "section-head" }, html("h3", {}, title), ...tools), ...content);
}

function codeSection(node) {
  if (!node.process || node.type === "note") return null;
  const language = languageOf(node.process, node);
  const code = html(
    "pre",
    { tabindex: "0", "aria-label": t("Code") },
    html("code", {}, ...highlighted(node.process, language)),
  );
  return section(
    t("Code"),
    [html("span", { class: "chip" }, LANGUAGE_NAMES[language]), copyButton(node.process, t("Copy code"))],
    code,
  );
}

function noteSection(item) {
  const text = item.note ? noteText(item.node) : "";
  return text ? section(
    t("Text"),
    [copyButton(text, t("Copy text"))],
    html("div", { class: "note-content" }, text),
  ) : null;
}

function dataSection({ data }) {
  if (!data || typeof data !== "object" || !Object.keys(data).length) return null;
  return section(t("Data"), [copyButton(JSON.stringify(data, null, 2), t("Copy data as JSON"))], jsonTree(data));
}

function handleRow(handle, item) {
  const lines = [...item.incoming, ...item.outgoing].filter((line) => line.to === handle || line.from === handle);
  const name = handle.label || handle.id || t("unnamed");
  const direction = handle.direction === "in" ? t("in") : t("out");
  const accepts = handle.accept ? html("span", { class: "chip" }, handle.accept) : null;
  const count = lines.length === 1 ? t("1 edge") : t("{count} edges", { count: lines.length });
  return html(
    "li",
    {},
    html("span", { class: `direction ${handle.direction}` }, direction),
    rowWords(name, `${SIDE_NAMES[handle.side]()} · ${count}`),
    accepts,
  );
}

function handleSection(item) {
  if (!item.handles.length) return null;
  return section(
    t("Handles"),
    [],
    html("ul", { class: "rows handles" }, ...item.handles.map((handle) => handleRow(handle, item))),
  );
}

function typeLine(item, nodeType) {
  const description = nodeType?.description ? html("p", { class: "description" }, nodeType.description) : null;
  return [
    html(
      "p",
      { class: "type-line" },
      html("strong", {}, item.style.title),
      nodeType?.category ? html("span", { class: "chip" }, nodeType.category) : null,
    ),
    description,
  ];
}

export class Details {
  /** A form that shows nodes instead, as NodeForm does. */
  form = null;
  #callbacks;
  #model = null;
  #item = null;

  /** `callbacks`: select(item), close(). */
  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.element = html("aside", { class: "details", hidden: true, tabindex: "-1" });
  }

  get open() {
    return !this.element.hidden;
  }

  show(item, model) {
    const other = item !== this.#item;
    const scroll = this.element.querySelector(".details-body")?.scrollTop ?? 0;
    this.#item = item;
    this.#model = model;
    this.element.setAttribute("aria-label", t("Details of {name}", { name: item.name }));
    this.element.hidden = false;
    if (this.form) this.#showForm(item);
    else {
      this.element.replaceChildren(this.#head(item), this.#body(item));
      this.element.querySelector(".details-body").scrollTop = other ? 0 : scroll;
    }
  }

  /** The form stays where it is: what has the focus keeps it. */
  #showForm(item) {
    const form = this.form.show(item, this.#model);
    if (form.parentNode === this.element) this.element.firstElementChild.replaceWith(this.#head(item));
    else this.element.replaceChildren(this.#head(item), form);
  }

  /** Gives back what a taller panel covers of the drawing. */
  lower() {
    this.element.classList.remove("tall");
  }

  close() {
    this.element.hidden = true;
    this.lower();
    this.form?.forget();
    this.#item = null;
  }

  #head(item) {
    const taller = iconButton(
      ICONS.up,
      t("Make the panel taller"),
      () => this.element.classList.toggle("tall"),
      { class: "icon-button taller" },
    );
    const close = iconButton(ICONS.close, t("Close details"), () => this.#callbacks.close());
    const key = html("div", { class: "key" }, html("code", {}, item.key), copyButton(item.key, t("Copy key")));
    return html(
      "header",
      {},
      nodeBadge(item, 40),
      html("div", { class: "title" }, html("h2", {}, item.name), key),
      taller,
      close,
    );
  }

  #body(item) {
    const sheet = this.#model.sheets.get(item.node.sheet)?.name ?? "";
    const facts = html(
      "dl",
      {},
      html("dt", {}, t("Type")),
      html("dd", {}, html("code", {}, item.node.type)),
      html("dt", {}, t("Sheet")),
      html("dd", {}, sheet),
    );
    const parts = [
      ...typeLine(item, this.#model.nodeTypes.get(item.node.type)),
      facts,
      noteSection(item),
      this.#neighbours(t("Comes from"), item.incoming, (line) => [line.source, line.from]),
      this.#neighbours(t("Goes to"), item.outgoing, (line) => [line.target, line.from]),
      codeSection(item.node),
      dataSection(item.node),
      handleSection(item),
    ];
    return html("div", { class: "details-body" }, ...parts);
  }

  #neighbours(title, lines, ends) {
    if (!lines.length) return null;
    const rows = lines.map((line) => this.#neighbour(line, ...ends(line)));
    const count = html("span", { class: "count" }, numberText(lines.length));
    return section(title, [count], neighbourList(rows, NEIGHBOURS_AT_ONCE));
  }

  #neighbour(line, other, handle) {
    const sheet = other.node.sheet === this.#item.node.sheet ? "" : this.#model.sheets.get(other.node.sheet)?.name;
    const note = [line.label || handle.title, sheet].filter(Boolean).join(" · ");
    return html(
      "li",
      {},
      html(
        "button",
        { type: "button", "data-key": other.key, onclick: () => this.#callbacks.select(other) },
        nodeBadge(other, 28),
        rowWords(other.name, note || other.style.title),
      ),
    );
  }
}
