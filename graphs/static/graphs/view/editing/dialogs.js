// Questions before something is done or lost, each as a modal dialog that gives an answer.

import { html } from "../../dom.js";
import { t } from "../../strings.js";
import { nodeBadge } from "../canvas/node-badge.js";
import { linesOf } from "../model/model.js";
import { findItems } from "../navigation/find.js";
import { rowWords } from "../rows.js";

const LISTED = 8;

/** Shows a dialog in `root`; its buttons answer with their values, Esc with null. */
export function opened(root, title, content, { wide = false } = {}) {
  const before = root.getRootNode().activeElement;
  return new Promise((resolve) => {
    const dialog = html("dialog", { class: wide ? "ask wide" : "ask", "aria-labelledby": "ask-title" });
    let answer = null;
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
      resolve(answer);
    });
    dialog.append(html("h2", { id: "ask-title" }, title), ...content(close));
    root.append(dialog);
    dialog.showModal();
  });
}

export function answers(close, ...choices) {
  return html(
    "div",
    { class: "ask-answers" },
    ...choices.map(
      ([value, text, kind = ""]) =>
        html("button", { type: "button", class: `button ${kind}`, onclick: () => close(value) }, text),
    ),
  );
}

/** "save", "discard", or null to stay. */
export function askToLeave(root, name) {
  return opened(root, t("Save what you changed on {name}?", { name }), (close) => [
    answers(
      close,
      ["save", t("Save")],
      ["discard", t("Discard"), "quiet"],
      [null, t("Go on editing"), "quiet"],
    ),
  ]);
}

/** Whether nodes go, with the edges that go with them. */
export function askToDelete(root, items) {
  const lines = linesOf(items);
  const [first, ...more] = items;
  const title = more.length ? t("Delete {count} nodes?", { count: items.length }) : t("Delete {name}?", { name: first.name });
  return opened(root, title, (close) => [
    ...(more.length ? listed(items.map(({ name }) => name)) : []),
    lines.length ? html("p", {}, whatGoesToo(items.length, lines.length)) : null,
    ...listed(lines.map(endsOf)),
    answers(close, [true, t("Delete"), "danger"], [null, t("Cancel"), "quiet"]),
  ].filter(Boolean));
}

function whatGoesToo(nodes, edges) {
  if (nodes > 1) return edges === 1 ? t("This edge goes with them:") : t("These edges go with them:");
  return edges === 1 ? t("This edge goes with it:") : t("These edges go with it:");
}

function listed(texts) {
  if (!texts.length) return [];
  const list = html("ul", { class: "ask-list" }, ...texts.slice(0, LISTED).map((text) => html("li", {}, text)));
  const left = texts.length - LISTED;
  return left > 0 ? [list, html("p", {}, t("and {count} more", { count: left }))] : [list];
}

export function endsOf({ source, target, label }) {
  const ends = `${source.name} → ${target.name}`;
  return label ? `${ends} (${label})` : ends;
}

/** The key of a type for a new node, or null. `types` are {key, name, style, description}. */
export function askForType(root, types, manage) {
  return opened(root, t("New node"), (close) => {
    const list = html("ul", { class: "ask-types", role: "listbox", "aria-label": t("Type") });
    const search = html("input", {
      type: "search", placeholder: t("Find a type"), "aria-label": t("Find a type"), autofocus: true, autocomplete: "off",
    });
    const show = () => {
      const found = search.value.trim() ? findItems(types, search.value) : types;
      list.replaceChildren(...found.map((type) => typeRow(type, close)));
      if (!found.length) list.append(html("li", { class: "nothing" }, t("Nothing found")));
    };
    search.addEventListener("input", show);
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") list.querySelector("button")?.click();
      else if (event.key === "ArrowDown") list.querySelector("button")?.focus();
      else return;
      event.preventDefault();
    });
    list.addEventListener("keydown", (event) => walk(event, list));
    show();
    const no = answers(close, [null, t("Cancel"), "quiet"]).children;
    const link = html("button", { type: "button", class: "link", onclick: () => close(null) || manage() }, t("Node types …"));
    return [search, list, html("div", { class: "ask-answers" }, link, html("span", { class: "space" }), ...no)];
  });
}

function typeRow(type, close) {
  const looks = { type: "button", "data-key": type.key, onclick: () => close(type.key) };
  return html("li", {}, html("button", looks, nodeBadge(type, 30), rowWords(type.name, type.description || type.key)));
}

function walk(event, list) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const buttons = [...list.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(event.target) + step];
  (next ?? list.parentElement.querySelector("input")).focus();
  event.preventDefault();
}
