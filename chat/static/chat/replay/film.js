/* The events of a conversation in order, and what the conversation was after each of them. */

import { emptyTranscript, fold } from "../widget/transcript.js";

/** A transcript is kept for every so many events, so that none is ever more than so many folds away. */
const KEPT_EVERY = 200;
/** Where something begins or ends that one would look for. */
const MOMENTS = new Set([
  "ai:user_message", "ai:proposal", "ai:decision", "ai:question", "ai:tool_limit", "ai:complete", "ai:error",
]);

export class Film {
  /**
   * `address` answers `?after=N` with {frames, last}: the next events as the socket sends them, each also with `event`
   * (its type in the log) and `createdAt`.
   */
  constructor(address) {
    this.address = address;
    this.frames = [];
    this.kept = [emptyTranscript()];
  }

  get length() {
    return this.frames.length;
  }

  /** Reads everything, page by page; `arrived` is called after each. Rejects where a page cannot be read. */
  async load(arrived) {
    for (;;) {
      const answer = await fetch(`${this.address}?after=${this.numberOf(this.length)}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const { frames, last } = await answer.json();
      this.frames = this.frames.concat(frames.map(asItWas));
      this.after(this.length);
      arrived();
      if (frames.length === 0 || this.numberOf(this.length) >= last) return;
    }
  }

  /** The number in the log of event `count`; 0 before the first. A generation shares its log, so numbers are left out. */
  numberOf(count) {
    return count ? this.frames[count - 1].sequence : 0;
  }

  /** How many events there are up to a number of the log. */
  countTo(number) {
    return this.frames.findLastIndex(({ sequence }) => sequence <= number) + 1;
  }

  /** The conversation after the first `count` events. */
  after(count) {
    let place = Math.min(Math.floor(count / KEPT_EVERY), this.kept.length - 1);
    let transcript = this.kept[place];
    for (let next = place * KEPT_EVERY; next < count; next += 1) {
      transcript = dated(fold(transcript, this.frames[next]), transcript, this.frames[next]);
      if ((next + 1) % KEPT_EVERY === 0) {
        place += 1;
        this.kept[place] = transcript;
      }
    }
    return transcript;
  }

  /** Milliseconds between event number `count` and the one before it; 0 for the first. */
  pauseBefore(count) {
    if (count <= 1 || count > this.length) return 0;
    const [before, event] = [this.frames[count - 2], this.frames[count - 1]];
    return Math.max(0, Date.parse(event.createdAt) - Date.parse(before.createdAt));
  }

  /** The number of the next moment after event `count`, or of the one before it with `step` -1. */
  moment(count, step) {
    let number = count + step;
    while (number > 0 && number < this.length && !MOMENTS.has(this.frames[number - 1].type)) number += step;
    return Math.min(Math.max(number, 0), this.length);
  }
}

/** A proposal waited then, however late it is now. */
function asItWas(frame) {
  return frame.type === "ai:proposal" ? { ...frame, expiresAt: null } : frame;
}

/** A message that this event began has the event's time: the fold takes the clock's. */
function dated(transcript, before, { createdAt }) {
  if (transcript.messages.length === before.messages.length) return transcript;
  const messages = transcript.messages.map((message, index) =>
    index < before.messages.length ? message : { ...message, createdAt });
  return { ...transcript, messages };
}
