// The sheets of the graph: seen as a list, made, named, put in order, deleted with what stands on them.

import { BusyButton } from "../../busy-button.js";
import { html, iconButton } from "../../dom.js";
import { ICONS } from "../../icons.js";
import { t } from "../../strings.js";
import { answers, opened } from "./dialogs.js";

const LONGEST = "200";

/** `sheets()` gives them as they are now; `perform({actions})` gives {saved, message?} once the drawing shows it. */
export async function manageSheets(root, sheets, perform) {
  await opened(root, t("Sheets"), (close) => {
    const place = html("div", { class: "type-place" });
    /** The key of the sheet whose deletion is being asked about; null while the list is shown. */
    let asked = null;
    const show = (message = "", focus = "") => {
      asked = null;
      place.replaceChildren(...listOf(sheets(), { change, ask, close, show, now: (key) => sheets().find((one) => one.key === key) }, message));
      ((focus && place.querySelector(focus)) || place.querySelector("[data-new]")).focus();
    };
    const change = async (action, given, focus, seen = []) => {
      const before = asked;
      const { message } = await perform({ actions: [{ action, arguments: given }], seen });
      // A question that came meanwhile stays, unless there is something to say.
      if (message || asked === null || asked === before) show(message, focus);
    };
    const ask = (sheet) => {
      asked = sheet.key;
      place.replaceChildren(...question(sheet, change, show));
    };
    show();
    return [place];
  });
}

function listOf(sheets, { change, ask, close, show, now }, message) {
  const named = (key, what) => `[data-sheet="${CSS.escape(key)}"] ${what}`;
  const rows = sheets.map((sheet, at) => {
    const { key, name, version } = sheet;
    const update = (given, focus) => change("update_sheet", { sheetKey: key, ...given }, focus, [{ type: "sheet", id: key, version }]);
    const field = html("input", { value: name, maxlength: LONGEST, required: true, "aria-label": t("Name of the sheet") });
    field.addEventListener("change", () => {
      const other = now(key)?.name ?? name;
      if (other !== name) show(t("Somebody named this sheet “{name}” meanwhile. Yours was not saved.", { name: other }), named(key, "input"));
      else if (field.value.trim() && field.value !== name) update({ name: field.value }, named(key, "input"));
      else field.value = name;
    });
    const put = (position, side) => update({ position }, named(key, `[data-side=${side}]:enabled`));
    return html(
      "li",
      { "data-sheet": key },
      field,
      iconButton(ICONS.back, t("Move {name} left", { name }), () => put(at - 1, "left"), { disabled: at === 0, "data-side": "left" }),
      iconButton(ICONS.next, t("Move {name} right", { name }), () => put(at + 1, "right"), {
        disabled: at === sheets.length - 1, "data-side": "right",
      }),
      iconButton(ICONS.bin, t("Delete {name}", { name }), () => ask(sheet), { disabled: sheets.length === 1 }),
    );
  });
  return [
    html("p", { class: "field-problem", role: "status" }, message),
    html("ul", { class: "ask-types ask-sheets" }, ...rows),
    newSheet(change),
    answers(close, [null, t("Close"), "quiet"]),
  ];
}

function newSheet(change) {
  const name = html("input", {
    maxlength: LONGEST, required: true, placeholder: t("Name"), "aria-label": t("Name of the new sheet"), "data-new": true,
  });
  const form = html("form", { class: "edit-row" }, name, html("button", { type: "submit", class: "button" }, t("New sheet")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name.value.trim()) change("create_sheet", { name: name.value });
  });
  return form;
}

function question({ key, name, nodes, notes }, change, show) {
  const count = nodes.length + notes.length;
  const along = count === 1 ? t("1 node goes with it, and its edges.") : t("{count} nodes go with it, and their edges.", { count });
  const remove = new BusyButton({ type: "button", class: "button danger", onclick: () => goOn() }, t("Delete"), t("Deleting …"));
  const goOn = async () => {
    if (remove.busy) return;
    remove.busy = true;
    await change("delete_sheet", { sheetKey: key });
  };
  return [
    html("p", {}, t("Delete {name}?", { name })),
    html("p", {}, count ? along : t("Nothing stands on it.")),
    html(
      "div",
      { class: "ask-answers" },
      ...remove.elements,
      html("button", { type: "button", class: "button quiet", "data-new": true, onclick: () => show() }, t("Cancel")),
    ),
  ];
}
