/* What waits now, read from the page itself whenever the workspace's stream says so, so that filters and pages hold.
 *
 * Where no connection can be had, as behind some proxies, once a minute has to do.
 */

const AT_LEAST_EVERY_MS = 60_000;

export class News {
  /** `take` gets the proposals that wait. */
  constructor(take) {
    this.take = take;
    this.timer = 0;
    this.asked = 0;
  }

  start(signal) {
    this.signal = signal;
    document.addEventListener("visibilitychange", () => !document.hidden && this.ask(), { signal });
    document.addEventListener("countersign:waiting-changed", () => this.ask(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), AT_LEAST_EVERY_MS);
  }

  /** Of several questions only the last one's answer counts. */
  async ask() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    const asked = (this.asked += 1);
    try {
      const response = await fetch(location.href, { credentials: "same-origin" });
      const text = response.ok && !response.redirected ? await response.text() : null;
      if (text !== null && asked === this.asked) this.read(text);
    } catch {
      // Away for a moment; the next time will tell.
    }
    if (!this.signal.aborted) this.later();
  }

  read(text) {
    this.take(waitingIn(new DOMParser().parseFromString(text, "text/html")));
  }
}

export function waitingIn(page) {
  return JSON.parse(page.getElementById("inbox-data")?.textContent ?? "[]");
}
