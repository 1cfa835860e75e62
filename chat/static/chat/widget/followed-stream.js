/* A stream that is read from now on, over a connection that may come and go: each of its events once, in order.
 *
 * Events: "frame" {detail: frame}; "caught-up" {detail: {first}} after each time the reading began, as something may have
 * happened before.
 */

export class FollowedStream extends EventTarget {
  /** `stream` is its name; without one it is that of `object`, which the server knows. */
  constructor({ api, socket, stream, object }) {
    super();
    Object.assign(this, { api, socket, stream, object });
    /** The number of the last event that was read, null before it is known where to begin. */
    this.last = null;
    this.kept = false;
  }

  /** Begins where another page left it, or now, should that be no place of the stream any more. */
  goOnAfter(last) {
    this.last = last;
    this.kept = last !== null;
  }

  /** Holds the connection and reads until `signal` fires. */
  start(signal) {
    this.socket.addEventListener("open", () => this.subscribe(), { signal });
    this.socket.addEventListener("frame", ({ detail }) => this.receive(detail), { signal });
    if (this.socket.state === "open") this.subscribe();
    this.socket.hold(signal);
  }

  async subscribe() {
    const first = this.last === null;
    try {
      this.stream ||= await this.api.streamOf(this.object);
      this.last ??= await this.api.lastOf(this.stream);
    } catch {
      return; // The next connection tries again.
    }
    const answer = await this.socket.request({ type: "ai:subscribe", stream: this.stream, after: this.last });
    if (answer?.type === "ai:subscribed") this.dispatchEvent(new CustomEvent("caught-up", { detail: { first } }));
    else if (answer && this.kept) this.beginNow();
  }

  beginNow() {
    this.goOnAfter(null);
    this.subscribe();
  }

  receive(frame) {
    if (frame.stream !== this.stream || !(frame.sequence > this.last)) return;
    this.last = frame.sequence;
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
  }
}
