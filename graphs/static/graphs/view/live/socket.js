// The socket of a graph: opens, comes back by itself, and sends again what was not answered, under the same `_id`.

import { Refusal } from "../../requests.js";
import { t } from "../../strings.js";

/** The code of what was asked live and has no answer: it may have been done. */
export const UNANSWERED = "unanswered";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** After these it does not come back: signed out, access ended, no such graph. */
const FINAL = new Set([4401, 4403, 4404]);
/** Too many connections of this person: one of them has to end first. */
const CROWDED = 4429;
const CROWDED_FAILURES = 5;
/** Failures after which nobody waits for it any more. */
const PATIENT = 2;

const ANSWERS = new Set(["graph:ack", "graph:saved", "graph:error"]);

export class LiveSocket {
  #address;
  #hear;
  #socket = null;
  #timer = 0;
  #failures = 0;
  #opened = null;
  #ended = false;
  #crowded = false;
  /** {frame, resolve, reject} by `_id`, in the order in which they were asked. */
  #waiting = new Map();

  /** `hear(frame)` gets what was told; `changed()` is called when `live`, `crowded` or `away` may differ. */
  constructor(address, { hear, changed }) {
    this.#address = new URL(address, document.baseURI);
    this.#address.protocol = this.#address.protocol === "https:" ? "wss:" : "ws:";
    if (document.documentElement.lang) this.#address.searchParams.set("language", document.documentElement.lang);
    this.#hear = hear;
    this.changed = changed;
  }

  /** Whether the graph is open here and now. */
  get live() {
    return this.#opened !== null;
  }

  get mayEdit() {
    return this.#opened?.mayEdit ?? false;
  }

  /** Whether the person has so many open that there is no room for this one. */
  get crowded() {
    return !this.live && this.#crowded;
  }

  /** Whether it has failed more than once, or ended. */
  get away() {
    return !this.live && (this.#ended || this.#failures >= PATIENT);
  }

  start() {
    const back = () => this.#hurry();
    addEventListener("online", back);
    document.addEventListener("visibilitychange", back);
    this.#connect();
    return () => {
      removeEventListener("online", back);
      document.removeEventListener("visibilitychange", back);
      this.#stop();
    };
  }

  /** The answer to a frame, on this connection or one soon after; raises Refusal. */
  ask(id, frame) {
    const sent = { ...frame, _id: id };
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { frame: sent, resolve, reject }));
    if (this.live) this.#send(sent);
    return answer;
  }

  /** Says something that needs no answer; where nobody hears it, it is lost. */
  say(frame) {
    if (this.live) this.#send(frame);
  }

  #connect() {
    clearTimeout(this.#timer);
    if (this.#socket || this.#ended) return;
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => socket === this.#socket && this.#received(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => socket === this.#socket && this.#closed(code));
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  #received(frame) {
    const asked = this.#waiting.get(frame._id);
    if (asked && ANSWERS.has(frame.type)) {
      this.#waiting.delete(frame._id);
      if (frame.type === "graph:error") asked.reject(refusal(frame));
      else asked.resolve(frame);
      return;
    }
    if (frame.type === "graph:opened") {
      this.#opened = frame;
      this.#failures = 0;
      for (const { frame: unanswered } of this.#waiting.values()) this.#send(unanswered);
      this.changed();
    }
    this.#hear(frame);
  }

  #closed(code) {
    this.#socket = null;
    this.#opened = null;
    this.#failures += 1;
    this.#crowded = code === CROWDED;
    if (this.#crowded) this.#failures = Math.max(this.#failures, CROWDED_FAILURES);
    this.#ended = FINAL.has(code);
    if (!this.#ended) this.#timer = setTimeout(() => this.#connect(), pauseAfter(this.#failures));
    if (this.away) this.#giveUp();
    this.changed();
  }

  #hurry() {
    if (document.visibilityState === "visible" && navigator.onLine) this.#connect();
  }

  #stop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#opened = null;
    socket?.close();
  }

  /** Of what has no answer nobody knows whether it was done; where it did not end, it may be asked elsewhere. */
  #giveUp() {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#ended ? ended() : unanswered());
  }
}

function ended() {
  return new Refusal(403, { detail: t("You may not edit here any more, or you are signed out. Reload the page.") });
}

function unanswered() {
  const detail = t("There is no live connection. Try again when there is one.");
  return new Refusal(0, { detail, code: UNANSWERED });
}

function refusal({ error, code, conflicts, errors }) {
  return new Refusal(code === "conflict" ? 409 : 400, { detail: error, code, conflicts, errors });
}

function pauseAfter(failures) {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random());
}
