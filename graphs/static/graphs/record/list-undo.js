// What was done to several records together, taken back beside the notice that says so.

import { HistoryApi } from "../history/api.js";
import { html, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";

/** Says after a reload that the change was taken back. */
const UNDONE = "countersign-list:undone";

/** `notice` names its change set; `workspace` is that of the page. */
export function offerUndo(notice, workspace) {
  const api = new HistoryApi({ base: "/api/v1/", workspace, object: "" });
  const said = html("p", { class: "field-error", role: "alert" });
  const button = textButton(t("Undo"), () => {
    button.disabled = true;
    return unlessRefused(async () => {
      await api.rollBack({ changeSet: notice.dataset.change }, {});
      remember();
      location.replace(location.href);
    }, ({ message, passing, status }) => {
      said.textContent = message;
      button.disabled = !passing && status !== 429;
    });
  });
  notice.append(" ", button, said);
}

/** Says once that a change was taken back before the page was loaded anew. */
export function tellUndone(page) {
  if (!forget()) return;
  const list = html("ul", { class: "messages", role: "status" });
  page.before(list);
  list.append(html("li", { class: "notice success" }, t("Undone.")));
}

function remember() {
  try {
    sessionStorage.setItem(UNDONE, "1");
  } catch {
    // A tab without storage works, it only says less.
  }
}

function forget() {
  try {
    const known = sessionStorage.getItem(UNDONE) !== null;
    sessionStorage.removeItem(UNDONE);
    return known;
  } catch {
    return false;
  }
}
