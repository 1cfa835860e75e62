// What the history says in words: who, through what, when, and what was changed.

import { visible } from "../diff/visible.js";
import { changeTitle, entriesCounted } from "../diff/words.js";
import { ICONS } from "../icons.js";
import { t } from "../strings.js";

const ORIGINS = {
  chat: [ICONS.chat, () => t("conversation")],
  generation: [ICONS.spark, () => t("structured generation")],
  automation: [ICONS.clock, () => t("automation")],
  manual: [ICONS.edit, () => t("by hand")],
  import: [ICONS.file, () => t("import")],
  rollback: [ICONS.loop, () => t("rollback")],
  outside: [ICONS.globe, () => t("changed outside")],
};

/** [value, words] of every origin. */
export const origins = () => Object.entries(ORIGINS).map(([value, [, words]]) => [value, words()]);

export const originIcon = (origin) => ORIGINS[origin]?.[0] ?? ICONS.box;
export const originWords = (origin) => ORIGINS[origin]?.[1]() ?? origin;

/** {actor} is the name that the person had then. */
export function whoWords({ actor }) {
  return actor ? visible(actor) : t("nobody signed in");
}

/** Item by item, of a change set whose modifications are all at hand: entries for `changeTitle`. */
function entriesOf(modifications) {
  const items = Map.groupBy(modifications, ({ object }) => `${object.type} ${object.id}`);
  return [...items.values()].map((some) => ({ ...some[0], fields: some.filter(({ field }) => field) }));
}

/** What a change set of the timeline did; one that changed nothing is how the object came to be, as an import. */
export function whatWords({ modifications, modificationCount, summary = {}, kinds = {} }) {
  if (modificationCount === 0) return t("It began here");
  const whole = modifications.length === modificationCount;
  return changeTitle(whole ? entriesOf(modifications) : entriesCounted(summary, modifications, kinds));
}

/** The ids of the message and the conversation that led to a change set, or null. */
export function causesOf({ causes }) {
  const idOf = (kind) => causes.find((cause) => cause.startsWith(`${kind}:`))?.slice(kind.length + 1) ?? null;
  return { message: idOf("message"), session: idOf("session") };
}

/** What is said of the message that led to a change set: {text, url}, or null; `url` only for who may see it. */
export function messageLink({ links }) {
  const others = links.filter(({ cause }) => !cause.startsWith("proposal:"));
  return others.find(({ cause }) => cause.startsWith("message:")) ?? others[0] ?? null;
}

/** That a person edited what the model had proposed, or "". */
export function editedWords({ links }) {
  return visible(links.find(({ details }) => details.edited)?.text ?? "");
}
