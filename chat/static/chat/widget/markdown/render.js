/* Keeps a piece of the page equal to markdown nodes, changing only what differs. Elements and texts, never HTML. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
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

/** Makes the text of a node or an element `value`, where it is `before`; what only grew is not written again. */
export function syncText(holder, before, value) {
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
  const inner = (node.children ?? []).map(create);
  switch (node.type) {
    case "text": return document.createTextNode(node.value);
    case "code": return "language" in node ? codeBlock(node) : h("code", { text: node.value });
    case "heading": return h(`h${Math.min(6, node.level + 2)}`, {}, ...inner);
    case "list": return list(node, inner);
    case "item": return item(node, inner);
    case "table": return table(inner);
    case "cell": return cell(node, inner);
    case "link": return link(node, inner);
    case "node": return nodeButton(node);
    case "mention": return mention(node);
    default: return h(TAGS[node.type], {}, ...inner);
  }
}

function list({ ordered, start }, inner) {
  return ordered ? h("ol", start === 1 ? {} : { start }, ...inner) : h("ul", {}, ...inner);
}

function item({ task }, inner) {
  if (task === null) return h("li", {}, ...inner);
  const label = task ? t("Done") : t("Not done");
  const box = h("input", { type: "checkbox", disabled: true, checked: task, "aria-label": label });
  return h("li", { class: "task" }, box, h("div", {}, ...inner));
}

function table(inner) {
  const looks = { class: "table", tabIndex: 0, role: "group", "aria-label": t("Table") };
  return h("div", looks, h("table", {}, ...inner));
}

function cell({ head, align }, inner) {
  return h(head ? "th" : "td", { class: align ? `align-${align}` : "" }, ...inner);
}

function link({ href, host, showHost }, inner) {
  const careful = { target: "_blank", rel: "noopener noreferrer nofollow", referrerPolicy: "no-referrer" };
  const shown = showHost ? h("bdi", { class: "host", text: host }) : null;
  return h("a", { href, ...careful }, h("span", {}, ...inner), shown);
}

function nodeButton({ key }) {
  const looks = { class: "node", type: "button", title: t("Show {key} in the graph", { key }) };
  return h("button", { ...looks, data: { nodeKey: key } }, icon("node"), h("span", { text: key }));
}

/** As it was written, until `Mentions` knows that it is a link. */
function mention({ name }) {
  return h("span", { text: `{{${name}}}`, data: { mention: name } });
}

function codeBlock({ language, value }) {
  const looks = { class: "copy-code", type: "button", "aria-label": t("Copy code") };
  const copy = h("button", looks, icon("copy"), h("span", { text: t("Copy") }));
  const head = h("div", { class: "code-head" }, h("span", { text: language || t("Code") }), copy);
  return h("div", { class: "code" }, head, h("pre", { tabIndex: 0 }, h("code", { text: value })));
}
