// The page of a graph: switches between the drawing and the history, goes to the proposal that the address names, and
// keeps the head true.

import "./graph-history.js";
import "./graph-view.js";
import { t } from "./strings.js";

const links = [...document.querySelectorAll("[data-tab]")];
const panels = [...document.querySelectorAll("[data-panel]")];

/** The tab that the address names; the drawing where it names none. */
function named() {
  const tab = new URLSearchParams(location.search).get("tab");
  return links.some((link) => link.dataset.tab === tab) ? tab : links[0].dataset.tab;
}

function show(tab) {
  for (const panel of panels) panel.hidden = panel.dataset.panel !== tab;
  for (const link of links) {
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (tab === "history") showHistory();
}

/** With what was edited live until now. */
async function showHistory() {
  await document.querySelector("graph-view").save();
  document.querySelector("graph-history").show();
}

for (const link of links) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    show(link.dataset.tab);
  });
}
addEventListener("popstate", () => show(named()));

/** What somebody wants to see in the drawing is shown in the drawing, before the drawing hears of it. */
for (const type of ["countersign:select-node", "countersign:select-proposal"]) {
  document.addEventListener(type, () => named() !== links[0].dataset.tab && links[0].click(), { capture: true });
}

/** The head of the page stays true while the graph changes. */
document.querySelector("graph-view").addEventListener("graph-taken", ({ detail: { nodes, edges, changed } }) => {
  const tell = (fact, text) => (document.querySelector(`[data-fact="${fact}"]`).textContent = text);
  tell("nodes", nodes === 1 ? t("1 node") : t("{count} nodes", { count: nodes }));
  tell("edges", edges === 1 ? t("1 edge") : t("{count} edges", { count: edges }));
  if (changed) tell("changed", t("changed just now"));
});

show(named());
const id = new URLSearchParams(location.search).get("proposal");
if (id) document.dispatchEvent(new CustomEvent("countersign:select-proposal", { detail: { id, from: "address" } }));
