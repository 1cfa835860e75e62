// What happens to whole graphs: made on the list; renamed, described, copied and deleted on their page; and what a page
// says whose graph was deleted.

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
  create: () => open(t("New graph"), t("Create"), [nameField(""), keyField(), descriptionField("")], async (given) => {
    go(await api.request("POST", "graphs", given));
  }),
  copy: () => open(t("Copy {name}", { name }), t("Copy"), [nameField("", t("made of its name")), keyField()], async (given) => {
    go(await api.request("POST", "graphs", { ...given, copyOf: key }));
  }),
  rename: () => open(t("Name and description"), t("Save"), [nameField(name), descriptionField(description)], async (given) => {
    await change("update_graph", { name: given.name, description: given.description ?? "" });
    location.reload();
  }),
  delete: () => {
    const goes = t("All that is in it goes with it: {parts}. The deletion can be undone.", { parts: counted() });
    return open(t("Delete {name}?", { name }), t("Delete"), [html("p", {}, goes)], async () => {
      const { id, actor } = await change("delete_graph", {});
      showGone({ id, actor });
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

/** A dialog with these fields; what `done(values)` is refused with is said in it. Empty fields are left out. */
function open(title, submit, fields, done, kind = "primary") {
  const said = html("p", { class: "field-error", role: "alert" });
  const button = html("button", { type: "submit", class: `button ${kind}` }, submit);
  const cancel = textButton(t("Cancel"), () => dialog.close(), { class: "button" });
  const form = html("form", { class: "stack" }, ...fields, said, html("div", { class: "actions" }, button, cancel));
  const heading = html("h2", { id: "whole-graph-title" }, title);
  const dialog = html("dialog", { class: "whole-graph card", "aria-labelledby": heading.id }, heading, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    const given = [...new FormData(form)].filter(([, value]) => value.trim());
    try {
      await done(Object.fromEntries(given));
      dialog.close();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      said.textContent = [Object.values(error.errors).flat()[0] ?? error.message];
    }
    button.disabled = false;
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
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
  const undo = textButton(t("Undo"), async () => {
    undo.disabled = true;
    try {
      await api.request("POST", `history/${encodeURIComponent(id)}/rollback`, {});
      location.reload();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      said.textContent = error.message;
      undo.disabled = false;
    }
  });
  const all = html("a", { class: "button small", href: home }, t("All graphs"));
  const title = actor ? t("This graph was deleted by {person}.", { person: actor }) : t("This graph was deleted.");
  const notice = html(
    "section",
    { class: "notice warning", role: "alert", tabindex: "-1", "data-gone": true },
    html("h2", {}, title),
    html("div", { class: "actions" }, place.hasAttribute("data-editable") ? undo : null, all),
    said,
  );
  const over = "[data-panel], [data-untrusted], .graph-head .page-tabs, .graph-head .graph-actions";
  for (const part of document.querySelectorAll(over)) part.remove();
  document.querySelector(".graph-head").after(notice);
  notice.focus();
}

document.querySelector("graph-view")?.addEventListener("graph-gone", gone);
if (place?.dataset.deletion) showGone({ id: place.dataset.deletion, actor: place.dataset.actor });
