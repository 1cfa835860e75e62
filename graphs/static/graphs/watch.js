// News of the graph where no chat panel brings them: the page asks now and then, while somebody looks at it.

const EVERY_MS = 15_000;

/** An open panel reads the graph's stream and tells the page of changes. */
const told = () => document.querySelector("chat-widget:not([bubble])") !== null;

/** Calls `ask()` now and then; returns what ends it. */
export function askNowAndThen(ask) {
  const look = () => document.visibilityState === "visible" && !told() && ask();
  const timer = setInterval(look, EVERY_MS);
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
  };
}
