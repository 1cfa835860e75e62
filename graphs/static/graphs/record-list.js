// The list of records: all rows of the page chosen at once, how many are, and what was done to them taken back.

import { offerUndo, tellUndone } from "./record/list-undo.js";
import { t } from "./strings.js";

const form = document.querySelector("[data-record-list]");
const boxes = [...form?.querySelectorAll('input[name="record"]') ?? []];
const all = form?.querySelector("[data-all]");
const found = form?.querySelector('input[name="all"]');
const said = form?.querySelector("[data-chosen]");
const none = said?.textContent;

function show() {
  const chosen = boxes.filter((box) => box.checked).length;
  all.checked = chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
  said.textContent = chosen ? t("Chosen: {count}", { count: chosen }) : none;
  form.querySelector("fieldset button").disabled = chosen === 0 && !found?.checked;
  for (const box of [all, ...boxes]) box.disabled = Boolean(found?.checked); // all of the list: no matter which of them
}

const page = document.querySelector("[data-records-of]");
if (page) tellUndone(page);
for (const notice of document.querySelectorAll("[data-change]")) offerUndo(notice, page.dataset.recordsOf);

if (all && boxes.length) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  form.addEventListener("change", show);
  window.addEventListener("pageshow", show); // a browser that comes back keeps what was chosen
  show();
}
