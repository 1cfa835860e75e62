/* Times, numbers and states in the reader's language. */

import { t } from "../../graphs/strings.js";
import { language, numberText } from "../../graphs/words.js";

export { momentText, numberText } from "../../graphs/words.js";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** "now", "5 min. ago", "yesterday", then a date. */
export function agoText(iso, now = Date.now()) {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  const seconds = Math.max(0, (now - then) / 1000);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto", style: "short" });
  if (seconds < MINUTE) return t("now");
  if (seconds < HOUR) return relative.format(-Math.floor(seconds / MINUTE), "minute");
  if (seconds < DAY) return relative.format(-Math.floor(seconds / HOUR), "hour");
  if (seconds < 7 * DAY) return relative.format(-Math.floor(seconds / DAY), "day");
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium" }).format(then);
}

export function timeText(iso) {
  const then = Date.parse(iso);
  return Number.isNaN(then) ? "" : new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(then);
}

/** A price in dollars with as many digits as it needs to be seen. */
export function costText(cost) {
  const digits = cost > 0 && cost < 0.01 ? 4 : 2;
  const style = { style: "currency", currency: "USD", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language(), style).format(cost);
}

/** Tokens, and dollars where the price is known: "~" where the vendor did not count, "≥" alone where some has no price. */
export function usageText(usage) {
  const tokens = (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
  if (!tokens) return "";
  const about = usage.estimated ? "~" : "";
  const parts = [about + t("{count} tokens", { count: tokens })];
  if (usage.cost > 0) parts.push((usage.unpricedTokens ? "≥" : about) + costText(Number(usage.cost)));
  return parts.join(" · ");
}

export function usageTitle(usage) {
  if (!usage) return "";
  const counted = t("{prompt} read, {cached} of them cached, {completion} written", {
    prompt: numberText(usage.promptTokens ?? 0),
    cached: numberText(usage.cachedTokens ?? 0),
    completion: numberText(usage.completionTokens ?? 0),
  });
  const unpriced = usage.unpricedTokens;
  return [
    counted,
    usage.estimated ? t("“~” is an estimate: some of it the model’s service did not count") : "",
    unpriced ? t("{count} tokens have no known price and are not in the cost", { count: unpriced }) : "",
  ].filter(Boolean).join("\n");
}

export function connectionText(state) {
  switch (state) {
    case "open": return t("Connected");
    case "waiting": return t("Reconnecting…");
    case "offline": return t("Offline");
    case "signed-out": return t("Signed out");
    case "ended": return t("Access ended");
    default: return t("Connecting…");
  }
}

/** A sentence that says what happened and what to do; the server's own wins. */
export function errorText({ code, message }) {
  if (message) return message;
  switch (code) {
    case "rate_limit": return t("The model has too many requests right now. Wait a moment, then try again.");
    case "server_error": return t("The model's server has a problem. Try again in a moment.");
    case "auth_error": return t("The model refused the key of this installation. Tell an administrator.");
    case "timeout": return t("The model took too long to answer. Try again.");
    case "network": return t("The model could not be reached. Try again in a moment.");
    case "content_filter": return t("The model declined to answer this. Try to ask differently.");
    case "context_length": return t("This conversation is too long for the model. Start a new one.");
    default: return t("The answer failed. Try again; if it keeps failing, tell an administrator.");
  }
}
