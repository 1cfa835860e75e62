/* What is said of a proposal: why it is asked, how long it stands, who decided. */

import { t } from "../../graphs/strings.js";
import { language } from "../../graphs/words.js";
import { momentText, timeText } from "../widget/words.js";
import { statusOf, wasEdited } from "./proposal.js";

const HOUR_S = 3600;
const DAY_S = 86_400;

export function statusText(status) {
  switch (status) {
    case "pending": return t("waits for a decision");
    case "applied": return t("applied");
    case "undone": return t("taken back");
    case "rejected": return t("rejected");
    case "stale": return t("out of date");
    case "expired": return t("expired");
    case "cancelled": return t("cancelled");
    default: return t("could not be applied");
  }
}

/** A sentence for one that is decided: by whom, when, and what it means. */
export function outcomeText(proposal) {
  const { decidedBy: who, decidedAt } = proposal;
  const when = today(decidedAt) ? timeText(decidedAt) : momentText(decidedAt);
  switch (statusOf(proposal)) {
    case "applied": return appliedText(proposal, who, when);
    case "undone": return undoneText(who, when);
    case "rejected": return t("Rejected by {who}, {when}", { who: who ?? "?", when });
    case "stale": return t("What it would change was changed meanwhile, so nothing was done.");
    case "expired": return t("Nobody decided in time. Nothing was changed.");
    case "cancelled": return t("The conversation was stopped before anybody decided. Nothing was changed.");
    case "failed": return t("It was approved, but could not be applied. Nothing was changed.");
    default: return "";
  }
}

function appliedText(proposal, who, when) {
  if (!who) return t("Applied unasked, {when}", { when });
  return wasEdited(proposal)
    ? t("Edited and approved by {who}, {when}", { who, when })
    : t("Approved by {who}, {when}", { who, when });
}

function undoneText(who, when) {
  return who
    ? t("Approved by {who}, {when}; undone since", { who, when })
    : t("Applied unasked, {when}; undone since", { when });
}

/** Which level of the policy asks, for the person who has to answer. */
export function askedText(askedBy) {
  return askedBy.map(({ level, why }) => LEVELS[level]?.(why) ?? why).filter(Boolean).join(" ");
}

const LEVELS = {
  app: () => t("This site asks before every change."),
  workspace: () => t("This workspace asks before every change."),
  tool: () => t("This workspace asks before every change of this kind."),
  session: () => t("In this conversation every change is asked for."),
  request: () => t("The assistant wants this to be checked."),
  untrusted: (why) => untrustedText(why),
  default: () => t("Nothing allows it without asking."),
};

/** What a conversation has read from outside: an object, "web:search", or "web:" with the host of a page. */
function untrustedText(source) {
  if (source === "web:search") return t("This conversation has read what a search engine found.");
  if (source?.startsWith("web:")) return t("This conversation has read a page of {host}.", { host: source.slice(4) });
  return t("This conversation has read what was imported and not looked through yet.");
}

/** "in 6 days". */
export function untilText(iso, now = Date.now()) {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  if (seconds < HOUR_S) return relative.format(Math.max(1, Math.round(seconds / 60)), "minute");
  if (seconds < 2 * DAY_S) return relative.format(Math.round(seconds / HOUR_S), "hour");
  return relative.format(Math.round(seconds / DAY_S), "day");
}

function today(iso) {
  return new Date(iso).toDateString() === new Date().toDateString();
}
