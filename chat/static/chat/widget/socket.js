/* The connection to /ws/chat/, which answers by `_id`. Knows frames, not conversations. */

import { Connection } from "../../graphs/connection.js";

const sockets = new Map();

class ChatSocket extends Connection {
  constructor(path, workspace) {
    super(path, workspace);
    this.lastId = 0;
    this.waiting = new Map();
    this.holders = 0;
    this.addEventListener("frame", ({ detail: frame }) => {
      if (frame._id !== undefined && frame.sequence === undefined) this.answer(frame._id, frame);
    });
  }

  /** Keeps it open until `signal` fires. */
  hold(signal) {
    this.holders += 1;
    if (this.holders === 1) {
      this.released = new AbortController();
      this.start(this.released.signal);
    }
    signal.addEventListener("abort", () => {
      this.holders -= 1;
      if (this.holders === 0) this.released.abort();
    });
  }

  /** Sends a request; the promise gives the direct answer, or null where the connection was lost before it. */
  request(frame) {
    this.lastId += 1;
    const id = this.lastId;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    if (this.state === "open") this.send({ ...frame, _id: id });
    else this.answer(id, null);
    return answer;
  }

  forget() {
    super.forget();
    for (const id of [...this.waiting.keys()]) this.answer(id, null);
  }

  answer(id, frame) {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    resolve?.(frame);
  }
}

/** The page's connection in a workspace; who wants it open calls its `hold`. */
export function pageSocket(path, workspace) {
  const name = `${path} ${workspace}`;
  if (!sockets.has(name)) sockets.set(name, new ChatSocket(path, workspace));
  return sockets.get(name);
}
