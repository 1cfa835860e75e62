// The types that a node can have: those that every workspace has, its own, and those that nodes of this graph name.

import { request } from "../../requests.js";
import { t } from "../../strings.js";
import { nodeStyles } from "../model/node-style.js";
import { beside } from "./queue.js";

function builtIn() {
  return [
    { key: "starter", displayName: t("Starter"), description: t("Where the workflow begins.") },
    { key: "return", displayName: t("Return"), description: t("Ends the workflow and gives its result back.") },
    { key: "html", displayName: "HTML", description: t("Shows its incoming data to a person as a page.") },
    { key: "entryType", displayName: t("Entry form"), description: t("The fields a person fills in.") },
    { key: "note", displayName: t("Note"), description: t("A remark on the drawing.") },
  ];
}

export class NodeTypes {
  #src;
  /** The workspace's own, as the server had them last. */
  own = [];

  /** `src` is the address of the graph. */
  constructor(src) {
    this.#src = src;
  }

  async fetch() {
    const found = [];
    let next = beside(this.#src, "../node-types");
    next.searchParams.set("limit", "200");
    while (next) {
      const page = await request("GET", next);
      found.push(...page.results);
      next = page.next && new URL(new URL(page.next).pathname + new URL(page.next).search, document.baseURI);
    }
    this.own = found;
  }

  /** All of them as {key, name, description, style, index}, for lists and for finding. */
  all(model) {
    const known = [...this.own, ...builtIn()];
    const keys = new Set(known.map(({ key }) => key));
    const used = [...new Set([...model.items.values()].map(({ node }) => node.type))].filter((key) => !keys.has(key));
    const styleOf = nodeStyles(known);
    const entry = ({ key, displayName, description = "" }) => ({
      key, description, name: displayName || styleOf(key).title, style: styleOf(key),
    });
    return [...known, ...used.map((key) => ({ key }))].map(entry).map((type, index) => ({ ...type, index }));
  }

  /** [[key, title]] for a choice. */
  choices(model) {
    return this.all(model).map(({ key, name }) => [key, name]);
  }
}
