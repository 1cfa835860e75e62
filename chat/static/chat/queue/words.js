/* What entries of the queue are called. */

import { t } from "../../graphs/strings.js";

export function kindText(kind) {
  switch (kind) {
    case "answer": return t("Answer");
    case "embedding": return t("Embedding");
    case "import": return t("Import of a file");
    case "generation": return t("Generation");
    default: return kind;
  }
}

export function stateText(state) {
  switch (state) {
    case "running": return t("Running");
    case "waiting": return t("Waiting");
    case "paused": return t("Paused");
    default: return t("Failed");
  }
}

/** Its own title, or whose it is where that is not for the reader. */
export function entryTitle({ kind, title, person, own }) {
  if (title) return title;
  if (own) return kindText(kind);
  if (kind === "answer") return t("A conversation of {name}", { name: person });
  return person ? t("{what} of {name}", { what: kindText(kind), name: person }) : kindText(kind);
}
