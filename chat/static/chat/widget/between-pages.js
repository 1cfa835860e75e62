/* What a page leaves to the next one of its tab: how far it heard the news of the workspace, and toasts that nobody can have
 * read. Kept for a few minutes.
 */

const PREFIX = "countersign-chat:left:";
const FRESH_MS = 300_000;

/** What was left under this name; null for nothing, or for what is old. */
export function leftBefore(name) {
  try {
    const { at, value } = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "{}");
    return Date.now() - at < FRESH_MS ? value : null;
  } catch {
    return null;
  }
}

/** Leaves it as the page goes; `value` gives it, null where what was left before stays. */
export function leaveBehind(name, value) {
  window.addEventListener("pagehide", () => {
    const left = value();
    if (left === null) return;
    try {
      sessionStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), value: left }));
    } catch {
      // A tab without storage works, it only forgets.
    }
  });
}
