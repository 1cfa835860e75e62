// Fetching again after changes: soon, never twice at once, at most once a second, and no change is forgotten.

const SOON_MS = 150;
const APART_MS = 1000;
const EVERY_MS = 15_000;

export class Refresher {
  #run;
  #timer = 0;
  #running = false;
  #again = false;
  #began = -Infinity;

  /** `run()` fetches and gives a promise. */
  constructor(run) {
    this.#run = run;
  }

  ask() {
    if (this.#running) this.#again = true;
    else this.#timer ||= setTimeout(() => this.#go(), Math.max(SOON_MS, this.#began + APART_MS - performance.now()));
  }

  /** Also asks now and then while somebody looks, on pages where no chat panel brings news; until `signal` fires. */
  follow(signal) {
    const look = () => document.visibilityState === "visible" && !told() && this.ask();
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener("visibilitychange", look, { signal });
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#again = false;
    });
  }

  async #go() {
    this.#timer = 0;
    this.#began = performance.now();
    this.#running = true;
    this.#again = false;
    try {
      await this.#run();
    } finally {
      this.#running = false;
      if (this.#again) this.ask();
    }
  }
}

/** An open panel reads the graph's stream and tells the page of changes. */
const told = () => document.querySelector("chat-widget:not([bubble])") !== null;
