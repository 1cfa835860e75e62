/* Keeps a piece of the page equal to markdown nodes, changing only what differs. Elements and texts, never HTML. */

import { t } from "../../../graphs/strings.js";
import { icon } from "../icons.js";

const TAGS = {
  paragraph: "p", line: "span", quote: "blockquote", rule: "hr", item: "li", row: "tr",
  em: "em", strong: "strong", del: "del", br: "br",
};

/** Makes the children of `parent` those of `nodes`; `before` are the nodes it shows already. */
export function syncChildren(parent, before, nodes) {
  const present = [...parent.childNodes];
  nodes.forEach((node, index) => {
    const old = before[index];
    if (!old) parent.append(create(node));
    else if (old !== node) syncNode(present[index], old, node);
  });
  for (const surplus of present.slice(nodes.length)) surplus.remove();
}

function syncNode(element, before, node) {
  if (signature(before) !== signature(node)) element.replaceWith(create(node));
  else if (node.type === "text" || node.type === "code") syncText(textHolder(element, node), before.value, node.value);
  else if (node.children) syncChildren(holder(element, node), before.children, node.children);
}

function syncText(holder, before, value) {
  if (before === value) return;
  const text = holder.nodeType === Node.TEXT_NODE ? holder : holder.firstChild;
  if (!text) holder.textContent = value;
  else if (value.startsWith(text.data)) text.appendData(value.slice(text.data.length));
  else text.data = value;
}

/** Everything of a node but its children and text: where it differs, the element is made anew. */
function signature({ children, value, ...rest }) {
  const block = "language" in rest;
  return JSON.stringify(rest) + (value !== undefined && rest.type === "code" && block);
}

function textHolder(element, node) {
  return node.type === "code" && "language" in node ? element.querySelector("code") : element;
}

function holder(element, node) {
  if (node.type === "table") return element.firstChild;
  if (node.type === "link") return element.firstChild;
  if (node.type === "item" && node.task !== null) return element.lastChild;
  return element;
}

function create(node) {
  switch (node.type) {
    case "text": return document.createTextNode(node.value);
    case "code": return "language" in node ? codeBlock(node) : make("code", { text: node.value });
    case "heading": return filled(make(`h${Math.min(6, node.level + 2)}`), node.children);
    case "list": return list(node);
    case "item": return item(node);
    case "table": return table(node);
    case "cell": return cell(node);
    case "link": return link(node);
    case "node": return nodeButton(node);
    case "mention": return mention(node);
    default: return filled(make(TAGS[node.type]), node.children);
  }
}

function make(tag, { name, text } = {}) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

function filled(element, nodes) {
  if (nodes) element.append(...nodes.map(create));
  return element;
}

function list(node) {
  const element = make(node.ordered ? "ol" : "ul");
  if (node.ordered && node.start !== 1) element.start = node.start;
  return filled(element, node.children);
}

function item(node) {
  const element = make("li");
  if (node.task === null) return filled(element, node.children);
  const box = make("input");
  box.type = "checkbox";
  box.disabled = true;
  box.checked = node.task;
  box.setAttribute("aria-label", node.task ? t("Done") : t("Not done"));
  element.className = "task";
  element.append(box, filled(make("div"), node.children));
  return element;
}

function table(node) {
  const frame = make("div", { name: "table" });
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", t("Table"));
  frame.append(filled(make("table"), node.children));
  return frame;
}

function cell(node) {
  const element = make(node.head ? "th" : "td", { name: node.align ? `align-${node.align}` : "" });
  return filled(element, node.children);
}

function link(node) {
  const element = make("a");
  element.href = node.href;
  element.target = "_blank";
  element.rel = "noopener noreferrer nofollow";
  element.referrerPolicy = "no-referrer";
  element.append(filled(make("span"), node.children));
  if (node.showHost) element.append(make("bdi", { name: "host", text: node.host }));
  return element;
}

function nodeButton(node) {
  const button = make("button", { name: "node" });
  button.type = "button";
  button.dataset.nodeKey = node.key;
  button.title = t("Show {key} in the graph", { key: node.key });
  button.append(icon("node"), make("span", { text: node.key }));
  return button;
}

/** As it was written, until `Mentions` knows that it is a link. */
function mention({ name }) {
  const element = make("span", { text: `{{${name}}}` });
  element.dataset.mention = name;
  return element;
}

function codeBlock(node) {
  const frame = make("div", { name: "code" });
  const head = make("div", { name: "code-head" });
  const copy = make("button", { name: "copy-code" });
  copy.type = "button";
  copy.append(icon("copy"), make("span", { text: t("Copy") }));
  copy.setAttribute("aria-label", t("Copy code"));
  head.append(make("span", { text: node.language || t("Code") }), copy);
  const pre = make("pre");
  pre.tabIndex = 0;
  pre.append(make("code", { text: node.value }));
  frame.append(head, pre);
  return frame;
}
