// Edits on their way to the server: drawn at once, sent one after the other, taken back when they are refused.

import { EditError, UNANSWERED } from "./requests.js";

const TRIES = 4;
const FIRST_PAUSE_MS = 600;
const LONGEST_PAUSE_MS = 20_000;

const pause = (delay) => new Promise((resolve) => setTimeout(resolve, delay));

export class EditQueue {
  #host;
  #waiting = [];
  /** Done by the server at a version that the page has not fetched yet. */
  #landed = [];
  #running = false;
  #open = new Set();

  /** `host`: redraw(), refresh(version?) (a promise), version(object) of an item as the server sent it last. */
  constructor(host) {
    this.#host = host;
  }

  get busy() {
    return this.#waiting.length > 0;
  }

  /** When everything that was added so far has its answer. */
  async settled() {
    await Promise.allSettled([...this.#open]);
  }

  /** The graph with everything that is on its way. */
  over(graph) {
    this.#landed = this.#landed.filter((edit) => edit.version > graph.version);
    return [...this.#landed, ...this.#waiting].reduce((drawn, edit) => edit.draw?.(drawn) ?? drawn, graph);
  }

  /**
   * An edit {send(key), draw(graph)?, seen: [{type, id, version}], keep?} joins the others. Gives the change set; raises
   * EditError, and then the drawing is as if it had not been. What is to `keep` is not given up once it was asked live.
   */
  add(edit) {
    const done = new Promise((resolve, reject) => this.#waiting.push({ seen: [], ...edit, resolve, reject }));
    this.#open.add(done);
    const close = () => this.#open.delete(done);
    done.then(close, close);
    if (edit.draw) this.#host.redraw();
    this.#run();
    return done;
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    while (this.#waiting.length) await this.#next(this.#waiting[0]);
    this.#running = false;
  }

  async #next(edit) {
    try {
      const changeSet = await this.#send(edit);
      this.#waiting.shift();
      const version = changeSet.objects?.[0]?.version ?? 0;
      this.#landed.push({ ...edit, version });
      await this.#host.refresh(version);
      this.#seenByOwnHand(edit);
      edit.resolve(changeSet);
    } catch (error) {
      this.#waiting = this.#waiting.filter((other) => other !== edit);
      this.#host.redraw();
      edit.reject(error);
    }
  }

  /** The same request again while nobody knows whether it arrived: its key lets it happen once. */
  async #send(edit) {
    const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    let kept = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await edit.send(key, edit.seen);
      } catch (error) {
        if (!(error instanceof EditError)) throw error;
        kept ||= Boolean(edit.keep) && error.code === UNANSWERED;
        if (!error.passing || (tries >= TRIES && !kept)) throw error;
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS));
      }
    }
  }

  /** Later edits that saw what this one saw have now seen what it made, unless somebody else came between. */
  #seenByOwnHand({ seen }) {
    for (const own of seen) {
      const now = this.#host.version(own);
      if (now !== own.version + 1) continue;
      for (const later of this.#waiting) {
        for (const one of later.seen) {
          if (one.type === own.type && one.id === own.id && one.version === own.version) one.version = now;
        }
      }
    }
  }
}
