// The edges of a node in its form: where they lead, their labels, taking them away, and drawing new ones by name.

import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { nodeBadge } from "../canvas/node-badge.js";
import { findItems } from "../navigation/find.js";
import { neighbourList, rowWords } from "../rows.js";
import { isDraft } from "./drafts.js";

const AT_ONCE = 60;
const SUGGESTED = 30;

export class Connections {
  #actions;
  #shown = "";
  element = html("div", { class: "edit-edges" });

  /** `actions`: select(item), label(line, text), disconnect(line), connect({source, from, target, to}). */
  constructor(actions) {
    this.#actions = actions;
  }

  show(item, model) {
    this.element.hidden = item.note;
    const [incoming, outgoing] = [item.incoming, item.outgoing].map((lines) => lines.filter((line) => !isDraft(line)));
    const shown = JSON.stringify([item.key, ...[...incoming, ...outgoing].map(({ edge, source, target }) => [
      edge, source.name, target.name,
    ]), item.handles.map(({ id, label, direction }) => [id, label, direction])]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.replaceChildren(
      ...this.#list(t("Comes from"), incoming, (line) => [line.source, line.to]),
      ...this.#list(t("Goes to"), outgoing, (line) => [line.target, line.from]),
      this.#connector(item, model),
    );
  }

  focus() {
    this.element.querySelector("[list]")?.focus();
  }

  #list(title, lines, ends) {
    if (!lines.length) return [];
    const rows = lines.map((line) => this.#row(line, ...ends(line)));
    return [html("h3", { class: "edit-label" }, title), neighbourList(rows, AT_ONCE)];
  }

  #row(line, other, handle) {
    const label = html("input", {
      type: "text", class: "edge-label", value: line.label, maxlength: "200", placeholder: t("label"),
      "aria-label": t("Label of the edge with {name}", { name: other.name }),
      onchange: () => this.#actions.label(line, label.value.trim()),
    });
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      label.blur();
    });
    const select = html(
      "button",
      { type: "button", "data-key": other.key, onclick: () => this.#actions.select(other) },
      nodeBadge(other, 28),
      rowWords(other.name, handle.title || other.style.title),
    );
    const remove = iconButton(
      ICONS.close,
      t("Remove the edge with {name}", { name: other.name }),
      () => this.#actions.disconnect(line),
    );
    return html("li", { "data-edge": line.key }, select, label, remove);
  }

  /** A new edge from this node, without a mouse. */
  #connector(item, model) {
    const handles = choice(t("From handle"), handlesOf(item, "out"));
    const other = html("input", {
      type: "text", list: "connectable", autocomplete: "off", placeholder: t("Node"), "aria-label": t("To node"),
    });
    const list = html("datalist", { id: "connectable" });
    const others = [...model.items.values()].filter((one) => one !== item && !one.note);
    const into = choice(t("To handle"), []);
    into.hidden = true;
    const found = () => model.items.get(other.value) ?? others.find((one) => one.name === other.value.trim());
    const suggest = () => {
      const matches = other.value ? findItems(others, other.value) : others;
      list.replaceChildren(
        ...matches.slice(0, SUGGESTED).map((one) => html("option", { value: one.key, label: one.name })),
      );
      const target = found();
      into.replaceChildren(...(target ? handlesOf(target, "in") : []).map(option));
      into.hidden = into.children.length < 2;
      connect.disabled = into.children.length === 0;
    };
    const connect = html("button", { type: "button", class: "button quiet", disabled: true }, t("Connect"));
    connect.addEventListener("click", () => {
      const target = found();
      if (target && !connect.disabled) this.#actions.connect({ source: item, from: handles.value, target, to: into.value });
    });
    other.addEventListener("input", suggest);
    other.addEventListener("focus", suggest);
    other.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      connect.click();
    });
    handles.hidden = handles.children.length < 2;
    return html(
      "div",
      { class: "edit-field", hidden: handles.children.length === 0 },
      html("span", { class: "edit-label" }, t("Connect to")),
      html("div", { class: "edit-row" }, handles, other, into, connect),
      list,
    );
  }
}

/** What an edge may be fastened to; a node that declares no handles at all has one on each side. */
export function handlesOf(item, direction) {
  const own = item.handles.filter((handle) => handle.direction === direction);
  const declared = Object.values(item.node.handles ?? {}).some((handles) => handles?.length > 0);
  return own.length || declared ? own : [{ id: direction === "out" ? "R-0" : "L-0", title: "" }];
}

function option({ id, title }) {
  return html("option", { value: id }, title || id);
}

function choice(label, handles) {
  return html("select", { "aria-label": label }, ...handles.map(option));
}
