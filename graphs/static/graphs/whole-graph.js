// What happens to whole graphs: made on the list; renamed, described, copied and deleted on their page; and what a page
// says whose graph was deleted.

import { BusyButton } from "./busy-button.js";
import { html, textButton } from "./dom.js";
import { Api, Refusal } from "./requests.js";
import { t } from "./strings.js";

const LONGEST_NAME = "200";
const LONGEST_KEY = "100";
const LONGEST_DESCRIPTION = "10000";

const place = document.querySelector("[data-whole-graph]");
const { api: base, workspace, pages, home, graph: key, name, description } = place?.dataset ?? {};
const api = place && new Api(base, workspace);

for (const button of document.querySelectorAll("[data-ask]")) button.addEventListener("click", () => ask[button.dataset.ask]());

const ask = {
  create: () => open(t("New graph"), [t("Create"), t("Creating …")], [nameField(""), keyField(), descriptionField("")], async (given) => {
    const made = await api.request("POST", "graphs", given);
    return () => go(made);
  }),
  copy: () => open(t("Copy {name}", { name }), [t("Copy"), t("Copying …")], [nameField("", t("made of its name")), keyField()], async (given) => {
    const made = await api.request("POST", "graphs", { ...given, copyOf: key });
    return () => go(made);
  }),
  rename: () => open(t("Name and description"), [t("Save"), t("Saving …")], [nameField(name), descriptionField(description)], async (given) => {
    await change("update_graph", { name: given.name, description: given.description ?? "" });
    return () => location.reload();
  }),
  delete: () => {
    const goes = t("All that is in it goes with it: {parts}. The deletion can be undone.", { parts: counted() });
    return open(t("Delete {name}?", { name }), [t("Delete"), t("Deleting …")], [html("p", {}, goes)], async () => {
      const { id, actor } = await change("delete_graph", {});
      return () => showGone({ id, actor });
    }, "danger");
  },
};

function change(action, given) {
  const actions = [{ action, arguments: given }];
  return api.request("POST", `graphs/${encodeURIComponent(key)}/changes`, { actions });
}

function go({ key: made }) {
  location.assign(pages.replace("KEY", encodeURIComponent(made)));
}

function counted() {
  return ["nodes", "edges"].map((fact) => document.querySelector(`[data-fact="${fact}"]`).textContent).join(", ");
}

function nameField(value, placeholder = "") {
  const input = html("input", { name: "name", value, maxlength: LONGEST_NAME, required: !placeholder, placeholder });
  return html("label", { class: "field" }, t("Name"), input);
}

function keyField() {
  const input = html("input", { name: "key", maxlength: LONGEST_KEY, placeholder: t("made of its name") });
  return html("label", { class: "field" }, t("Key, a part of its address"), input);
}

function descriptionField(value) {
  const area = html("textarea", { name: "description", rows: "4", maxlength: LONGEST_DESCRIPTION });
  area.value = value;
  return html("label", { class: "field" }, t("Description"), area);
}

/**
 * A dialog with these fields, and a button that says what it does, and then that it is being done; until `done(values)` has its
 * answer the dialog stays. What that gives comes next; what it is refused with is said in the dialog. Empty fields are left out.
 */
function open(title, words, fields, done, kind = "primary") {
  const said = html("p", { class: "field-error", role: "alert", id: "whole-graph-said" });
  const button = new BusyButton({ type: "submit", class: `button ${kind}` }, ...words);
  const cancel = textButton(t("Cancel"), () => dialog.close(), { class: "button" });
  const form = html("form", { class: "stack" }, ...fields, said, html("div", { class: "actions" }, ...button.elements, cancel));
  const heading = html("h2", { id: "whole-graph-title" }, title);
  const dialog = html("dialog", { class: "whole-graph card", "aria-labelledby": heading.id }, heading, form);
  const busy = (is) => {
    button.busy = is;
    cancel.disabled = is;
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.busy) return;
    busy(true);
    said.textContent = "";
    mark(form, {});
    const given = [...new FormData(form)].filter(([, value]) => value.trim());
    try {
      const next = await done(Object.fromEntries(given));
      busy(false);
      dialog.close();
      next();
    } catch (error) {
      busy(false);
      if (!(error instanceof Refusal)) throw error;
      said.textContent = sentenceOf(error);
      mark(form, error.errors);
    }
  });
  dialog.addEventListener("cancel", (event) => button.busy && event.preventDefault());
  dialog.addEventListener("close", () => (button.busy ? dialog.showModal() : dialog.remove()));
  document.body.append(dialog);
  dialog.showModal();
}

/** Marks the fields that were refused, and leads to the first of them. */
function mark(form, errors) {
  const fields = [...form.querySelectorAll("input, textarea")];
  for (const field of fields) {
    const told = { "aria-invalid": "true", "aria-describedby": "whole-graph-said" };
    for (const [name, value] of Object.entries(told)) {
      if (field.name in errors) field.setAttribute(name, value);
      else field.removeAttribute(name);
    }
  }
  fields.find((field) => field.name in errors)?.focus();
}

function sentenceOf(refusal) {
  return Object.values(refusal.errors).flat()[0] ?? refusal.message;
}

/** The graph of this page is not there any more: says who deleted it, and offers editors to bring it back. */
async function gone() {
  if (document.querySelector("[data-gone]")) return;
  try {
    const { results } = await api.request("GET", `history?object=graph:${encodeURIComponent(key)}`);
    if (results.length) showGone(results[0]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function showGone({ id, actor }) {
  document.querySelector("[data-gone]")?.remove();
  const said = html("p", { class: "field-error", role: "alert" });
  const undo = new BusyButton({ type: "button", class: "button small", onclick: bringBack }, t("Undo"), t("Bringing it back …"));
  async function bringBack() {
    if (undo.busy) return;
    undo.busy = true;
    said.textContent = "";
    try {
      await api.request("POST", `history/${encodeURIComponent(id)}/rollback`, {});
      location.reload();
    } catch (error) {
      undo.busy = false;
      if (!(error instanceof Refusal)) throw error;
      said.textContent = sentenceOf(error);
    }
  }
  const all = html("a", { class: "button small", href: home }, t("All graphs"));
  const title = actor ? t("This graph was deleted by {person}.", { person: actor }) : t("This graph was deleted.");
  const notice = html(
    "section",
    { class: "notice warning", role: "alert", tabindex: "-1", "data-gone": true },
    html("h2", {}, title),
    html("div", { class: "actions" }, ...(place.hasAttribute("data-editable") ? undo.elements : []), all),
    said,
  );
  const over = "[data-panel], [data-untrusted], .graph-head .page-tabs, .graph-head .graph-actions";
  for (const part of document.querySelectorAll(over)) part.remove();
  document.querySelector(".graph-head").after(notice);
  notice.focus();
}

document.querySelector("graph-view")?.addEventListener("graph-gone", gone);
if (place?.dataset.deletion) showGone({ id: place.dataset.deletion, actor: place.dataset.actor });
