// A socket that opens and comes back by itself. It knows frames, not what they say.
//
// Events: "state" (see `state`), "open" after every (re)connection, "frame" {detail: frame} for everything received.

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const STEADY_MS = 10_000;
const FINAL = { 4401: "signed-out", 4403: "ended", 4404: "ended" };
const AT_ONCE = new Set([4408]);
/** Too many connections of this person: one of them has to end first. */
const CROWDED = 4429;
const CROWDED_FAILURES = 5;

export class Connection extends EventTarget {
  /** `workspace` stands in the address, if it is given. */
  constructor(path, workspace = "") {
    super();
    this.path = path;
    this.workspace = workspace;
    /** idle | connecting | open | waiting | offline | signed-out | ended */
    this.state = "idle";
    this.socket = null;
    this.failures = 0;
    /** Whether it was closed because the person has too many. */
    this.crowded = false;
    this.openedAt = Infinity;
    this.timer = 0;
  }

  /** True where nothing can be sent and the next attempt will hardly change it. */
  get unreachable() {
    if (["offline", "signed-out", "ended"].includes(this.state)) return true;
    return this.state !== "open" && this.failures > 1;
  }

  /** Connects and comes back until `signal` fires. */
  start(signal) {
    window.addEventListener("online", () => this.restart(), { signal });
    window.addEventListener("offline", () => this.drop("offline"), { signal });
    document.addEventListener("visibilitychange", () => this.hurry(), { signal });
    signal.addEventListener("abort", () => this.drop("idle"));
    if (navigator.onLine) this.connect();
    else this.become("offline");
  }

  send(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  connect() {
    clearTimeout(this.timer);
    if (this.socket) return;
    this.become("connecting");
    const address = new URL(this.path, document.baseURI);
    if (this.workspace) address.searchParams.set("workspace", this.workspace);
    if (document.documentElement.lang) address.searchParams.set("language", document.documentElement.lang);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.addEventListener("open", () => this.opened(socket));
    socket.addEventListener("message", ({ data }) => this.received(socket, data));
    socket.addEventListener("close", ({ code }) => this.closed(socket, code));
  }

  opened(socket) {
    if (socket !== this.socket) return;
    this.openedAt = performance.now();
    this.become("open");
    this.dispatchEvent(new Event("open"));
  }

  received(socket, data) {
    if (socket !== this.socket) return;
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (frame === null || typeof frame !== "object") return;
    if (frame.sequence !== undefined || frame._id !== undefined) this.failures = 0;
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
  }

  closed(socket, code) {
    if (socket !== this.socket) return;
    if (performance.now() - this.openedAt > STEADY_MS) this.failures = 0;
    this.crowded = code === CROWDED;
    if (this.crowded) this.failures = Math.max(this.failures, CROWDED_FAILURES);
    this.forget();
    if (FINAL[code]) this.become(FINAL[code]);
    else if (!navigator.onLine) this.become("offline");
    else if (AT_ONCE.has(code) && this.failures === 0) this.comeBack(0);
    else this.comeBack(backoff(this.failures));
  }

  comeBack(delay) {
    this.failures += 1;
    this.become("waiting");
    this.timer = setTimeout(() => this.connect(), delay);
  }

  /** The network is back: an old connection may be dead without knowing it, and resuming is cheap. */
  restart() {
    if (this.state === "signed-out" || this.state === "ended") return;
    this.drop("connecting");
    this.failures = 0;
    this.connect();
  }

  hurry() {
    if (document.visibilityState === "visible" && this.state === "waiting") this.connect();
  }

  drop(state) {
    clearTimeout(this.timer);
    const { socket } = this;
    this.forget();
    socket?.close();
    this.become(state);
  }

  forget() {
    this.socket = null;
    this.openedAt = Infinity;
  }

  become(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

/** Exponential with full jitter, in milliseconds. */
export function backoff(failures, random = Math.random) {
  return random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
}
