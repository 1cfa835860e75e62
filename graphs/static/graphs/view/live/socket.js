// The socket of a graph: sends again what was not answered, under the same `_id`.

import { Connection } from "../../connection.js";
import { Refusal } from "../../requests.js";
import { t } from "../../strings.js";

/** The code of what was asked live and has no answer: it may have been done. */
export const UNANSWERED = "unanswered";

const ANSWERS = new Set(["graph:ack", "graph:saved", "graph:error"]);

export class LiveSocket extends Connection {
  #hear;
  #opened = null;
  /** {frame, resolve, reject} by `_id`, in the order in which they were asked. */
  #waiting = new Map();

  /** `hear(frame)` gets what was told; `changed()` is called when `live`, `crowded` or `away` may differ. */
  constructor(address, { hear, changed }) {
    super(address);
    this.#hear = hear;
    this.addEventListener("frame", ({ detail }) => this.#received(detail));
    this.addEventListener("state", () => {
      if (this.state !== "open") this.#opened = null;
      if (this.away) this.#giveUp();
      this.changed();
    });
    this.changed = changed;
  }

  /** Whether the graph is open here and now. */
  get live() {
    return this.#opened !== null;
  }

  get mayEdit() {
    return this.#opened?.mayEdit ?? false;
  }

  /** Whether it has failed more than once, or ended. */
  get away() {
    return !this.live && this.unreachable;
  }

  /** The answer to a frame, on this connection or one soon after; raises Refusal. */
  ask(id, frame) {
    const sent = { ...frame, _id: id };
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { frame: sent, resolve, reject }));
    if (this.live) this.send(sent);
    return answer;
  }

  /** Says something that needs no answer; where nobody hears it, it is lost. */
  say(frame) {
    if (this.live) this.send(frame);
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
      this.failures = 0;
      this.crowded = false;
      for (const { frame: unanswered } of this.#waiting.values()) this.send(unanswered);
      this.changed();
    }
    this.#hear(frame);
  }

  /** Of what has no answer nobody knows whether it was done; where it did not end, it may be asked elsewhere. */
  #giveUp() {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(["signed-out", "ended"].includes(this.state) ? ended() : unanswered());
  }
}

function ended() {
  return new Refusal(403, { detail: t("You may not edit here any more, or you are signed out. Reload the page.") });
}

function unanswered() {
  const detail = t("There is no live connection. Try again when there is one.");
  return new Refusal(0, { detail, code: UNANSWERED });
}

function refusal({ error, code, conflicts, conflictCount, errors }) {
  return new Refusal(code === "conflict" ? 409 : 400, { detail: error, code, conflicts, conflictCount, errors });
}
