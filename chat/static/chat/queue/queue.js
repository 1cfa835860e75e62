/* What runs or waits in the workspace, kept true while somebody looks.
 *
 * It is asked for every few seconds, less often while nothing runs, not at all in a hidden tab; what is one's own tells by its
 * stream when it begins or ends. Events: "change"; "refused" {message}.
 */

import { FollowedStream } from "../widget/followed-stream.js";

const BUSY_MS = 5_000;
const IDLE_MS = 20_000;
const LONGEST_MS = 60_000;
/** Several streams that tell of something at once are one question. */
const GATHER_MS = 300;
/** A socket follows few streams; the others are seen by asking. */
const MOST_FOLLOWED = 8;
const TELLING = new Set(["ai:status", "ai:complete", "ai:error", "ai:generation"]);

export class Queue extends EventTarget {
  /** `cursor` is where the part of the list that is shown begins, "" for its beginning. */
  constructor({ api, socket, cursor = "" }) {
    super();
    Object.assign(this, { api, socket, cursor, entries: null, next: null, error: "" });
    this.streams = new Map();
    this.asked = 0;
    this.failures = 0;
  }

  /** Asks until `signal` fires, and where `first` is not given at once. */
  start(signal, first = null) {
    this.signal = signal;
    document.addEventListener("visibilitychange", () => !document.hidden && this.soon(), { signal });
    signal.addEventListener("abort", () => this.end());
    if (!first) this.ask();
    else {
      this.take(first);
      this.later();
    }
  }

  end() {
    clearTimeout(this.timer);
    for (const leaving of this.streams.values()) leaving.abort();
    this.streams.clear();
  }

  get runs() {
    return (this.entries ?? []).some(({ state }) => state === "running" || state === "waiting");
  }

  later(ms = this.pause) {
    clearTimeout(this.timer);
    // Pages of many people do not ask at the same moment.
    if (!this.signal.aborted) this.timer = setTimeout(() => this.ask(), ms * (0.8 + Math.random() * 0.4));
  }

  get pause() {
    return Math.min(LONGEST_MS, (this.runs ? BUSY_MS : IDLE_MS) * 2 ** this.failures);
  }

  /** Also while an answer is on its way that may be older than what is to be seen. */
  soon() {
    this.stale = true;
    this.later(GATHER_MS);
  }

  /** Of several questions only the last one's answer counts. */
  async ask() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    this.stale = false;
    const asked = (this.asked += 1);
    try {
      const answer = await this.api.queue(this.cursor);
      if (asked !== this.asked || this.signal.aborted) return;
      this.failures = 0;
      this.error = "";
      this.take(answer);
    } catch (error) {
      if (asked !== this.asked || this.signal.aborted) return;
      this.failures += 1;
      this.error = error.message;
      this.changed();
    }
    this.later(this.stale ? GATHER_MS : this.pause);
  }

  take({ results, next }) {
    Object.assign(this, { entries: results, next });
    this.follow(results);
    this.changed();
  }

  /** Reads the streams of what one may read, so that their ends are seen at once. */
  follow(entries) {
    const wanted = new Set(entries.filter(isLive).map(({ streamId }) => streamId).slice(0, MOST_FOLLOWED));
    for (const [stream, leaving] of this.streams) {
      if (wanted.has(stream)) continue;
      leaving.abort();
      this.streams.delete(stream);
    }
    for (const stream of wanted) if (!this.streams.has(stream)) this.read(stream);
  }

  read(stream) {
    const leaving = new AbortController();
    this.streams.set(stream, leaving);
    const followed = new FollowedStream({ api: this.api, socket: this.socket, stream });
    followed.addEventListener("frame", ({ detail }) => TELLING.has(detail.type) && this.soon());
    followed.start(leaving.signal);
  }

  cancel(id) {
    return this.command(() => this.api.cancelQueued(id));
  }

  retry(id) {
    return this.command(() => this.api.retryQueued(id));
  }

  async command(send) {
    let done = true;
    try {
      await send();
    } catch (error) {
      done = false;
      this.dispatchEvent(new CustomEvent("refused", { detail: { message: error.message } }));
    }
    await this.ask();
    return done;
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function isLive({ streamId, state }) {
  return Boolean(streamId) && (state === "running" || state === "waiting");
}
