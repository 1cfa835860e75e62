// The workspace's own node types: seen as a list, made, changed, deleted while no node has them.

import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { nodeBadge } from "../canvas/node-badge.js";
import { nodeStyles } from "../model/node-style.js";
import { rowWords } from "../rows.js";
import { codeControl, InvalidValue, textControl } from "./controls.js";
import { answers, opened } from "./dialogs.js";
import { Fields } from "./fields.js";
import { handlesControl } from "./handles.js";

const NEW = { key: "", displayName: "", description: "", category: "", icon: "", handles: {}, process: "" };

/** `types`: NodeTypes; `perform({actions, seen})` gives {saved, message?}. */
export async function manageTypes(root, types, perform) {
  await opened(root, t("Node types"), (close) => {
    const place = html("div", { class: "type-place" });
    const show = (message = "") => place.replaceChildren(...listOf(types, { edit, remove, close }, message));
    const edit = (type) => place.replaceChildren(formOf(type, { show, save }));
    const save = async (asked) => {
      const answer = await perform(asked);
      if (answer.saved) await types.fetch().catch(() => {});
      return answer;
    };
    const remove = async (type) => {
      const answer = await save({
        actions: [{ action: "delete_node_type", arguments: { typeKey: type.key } }], seen: seenType(type),
      });
      show(answer.message);
    };
    show();
    return [place];
  }, { wide: true });
}

function seenType({ key, version }) {
  return [{ type: "nodeType", id: key, version }];
}

function listOf(types, { edit, remove, close }, message) {
  const styleOf = nodeStyles(types.own);
  const rows = types.own.map((type) => html(
    "li",
    {},
    nodeBadge({ style: styleOf(type.key) }, 30),
    rowWords(type.displayName || type.key, type.description || type.key),
    iconButton(ICONS.edit, t("Edit {name}", { name: type.displayName }), () => edit(type)),
    iconButton(ICONS.bin, t("Delete {name}", { name: type.displayName }), () => remove(type)),
  ));
  const none = html("p", { class: "muted" }, t("This workspace has no node types of its own yet."));
  return [
    html("p", { class: "field-problem", role: "status" }, message),
    rows.length ? html("ul", { class: "ask-types" }, ...rows) : none,
    html(
      "div",
      { class: "ask-answers" },
      html("button", { type: "button", class: "button", onclick: () => edit(NEW) }, t("New type")),
      ...answers(close, [null, t("Close"), "quiet"]).children,
    ),
  ];
}

function controlsOf(type, changed) {
  return {
    ...(type.key ? {} : { key: textControl(t("Key"), changed, { maxlength: "100", placeholder: t("from the name") }) }),
    displayName: textControl(t("Name"), changed, { maxlength: "200" }),
    description: textControl(t("Description"), changed),
    category: textControl(t("Category"), changed, { maxlength: "100" }),
    icon: textControl(t("Icon"), changed, { maxlength: "100", placeholder: t("a word like “mail”, or two letters") }),
    handles: handlesControl(changed),
    process: codeControl(t("Code"), { type: type.key, data: {} }, changed),
  };
}

function formOf(type, { show, save }) {
  const problem = html("p", { class: "field-problem", role: "status" });
  const controls = controlsOf(type, () => (problem.textContent = ""));
  const fields = new Fields(controls);
  fields.load(type);
  const form = html(
    "form",
    { class: "type-form", novalidate: true },
    ...Object.values(controls).map(({ element }) => element),
    problem,
    html(
      "div",
      { class: "ask-answers" },
      html("button", { type: "submit", class: "button" }, t("Save")),
      html("button", { type: "button", class: "button quiet", onclick: () => show() }, t("Back")),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = askedBy(type, fields, problem);
    if (!asked) return;
    const { saved, message } = asked.actions.length ? await save(asked) : { saved: true };
    if (saved) show();
    else problem.textContent = message ?? "";
  });
  return form;
}

function askedBy(type, fields, problem) {
  try {
    const { key, ...changes } = fields.changes();
    const known = type.key ? { mode: "update", typeKey: type.key } : { mode: "create", ...(key ? { typeKey: key } : {}) };
    const action = { action: "configure_node_type", arguments: { ...known, ...changes } };
    const nothing = Object.keys(changes).length === 0;
    return { actions: nothing ? [] : [action], seen: type.key ? seenType(type) : [] };
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    problem.textContent = error.message;
    return null;
  }
}
