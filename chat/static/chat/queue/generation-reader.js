/* What a generation writes, read from the stream of its object: as much of a conversation as showing it takes.
 *
 * Events: "change".
 */

import { FollowedStream } from "../widget/followed-stream.js";
import { emptyTranscript, fold } from "../widget/transcript.js";

export class GenerationReader extends EventTarget {
  constructor({ api, socket, signal }) {
    super();
    Object.assign(this, { api, socket, signal, transcript: emptyTranscript(), loading: true, loadError: null });
  }

  /** Reads from where the run began. */
  async open(runId) {
    try {
      const { streamId, after } = await this.api.generation(runId);
      this.transcript = emptyTranscript(after);
      const followed = new FollowedStream({ api: this.api, socket: this.socket, stream: streamId });
      followed.last = after;
      followed.addEventListener("frame", ({ detail }) => detail.runId === runId && this.heard(detail));
      if (!this.signal.aborted) followed.start(this.signal);
    } catch (error) {
      this.loadError = error.message;
    }
    this.loading = false;
    this.changed();
  }

  heard(frame) {
    this.transcript = fold(this.transcript, frame);
    this.changed();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}
