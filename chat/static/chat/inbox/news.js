/* What waits now, read from the page itself every few seconds, so that filters and pages hold; and the count on top. */

const EVERY_MS = 5_000;

export class News {
  /** `take` gets the proposals that wait. */
  constructor(take) {
    this.take = take;
    this.timer = 0;
    this.listeners = new AbortController();
  }

  atFirst() {
    return waitingIn(document);
  }

  start() {
    const { signal } = this.listeners;
    document.addEventListener("visibilitychange", () => !document.hidden && this.ask(), { signal });
    this.later();
  }

  stop() {
    clearTimeout(this.timer);
    this.listeners.abort();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), EVERY_MS);
  }

  async ask() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      const response = await fetch(location.href, { credentials: "same-origin" });
      if (response.ok && !response.redirected) this.read(await response.text());
    } catch {
      // Away for a moment; the next time will tell.
    }
    if (!this.listeners.signal.aborted) this.later();
  }

  read(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const count = page.querySelector("[data-inbox-link]");
    if (count) document.querySelector("[data-inbox-link]")?.replaceChildren(...count.childNodes);
    this.take(waitingIn(page));
  }
}

function waitingIn(page) {
  return JSON.parse(page.getElementById("inbox-data")?.textContent ?? "[]");
}
