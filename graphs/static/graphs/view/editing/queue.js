// Edits on their way to the server: drawn at once, sent one after the other, taken back when they are refused.

import { Refusal, request } from "../../requests.js";
import { t } from "../../strings.js";
import { UNANSWERED } from "../live/socket.js";

const TRIES = 4;
const FIRST_PAUSE_MS = 600;
const LONGEST_PAUSE_MS = 20_000;

/** An address beside that of the graph, in the same workspace. */
export function beside(src, path) {
  const graph = new URL(src, document.baseURI);
  const address = new URL(path, graph);
  address.search = graph.search;
  return address;
}

const pause = (delay) => new Promise((resolve) => setTimeout(resolve, delay));

export class EditQueue {
  #src;
  #live;
  #host;
  #waiting = [];
  /** Done by the server at a version that the page has not fetched yet. */
  #landed = [];
  #running = false;
  #open = new Set();

  /**
   * `src` is the address of the graph; `live` (live/live.js) takes what it can, null for none. `host`: redraw(),
   * refresh(version?) (a promise), version(object) of an item as the server sent it last.
   */
  constructor(src, live, host) {
    this.#src = src;
    this.#live = live;
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
   * An edit joins the others: {actions, seen: [{type, id, version}], draw(graph)?}, or {takesBack} with the id of a change set or
   * of a live edit. Gives the change set; raises Refusal, and then the drawing is as if it had not been.
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
    while (this.#waiting.length) {
      const [edit] = this.#waiting;
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
    this.#running = false;
  }

  /** The same request again while nobody knows whether it arrived: its key lets it happen once. Actions are not given up once
   * they were asked live.
   */
  async #send(edit) {
    const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    let kept = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#ask(edit, key);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        kept ||= Boolean(edit.actions) && error.code === UNANSWERED;
        if (!error.passing || (tries >= TRIES && !kept)) throw error;
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS));
      }
    }
  }

  /** What was asked over REST stays there, which alone knows whether it was done; what was done live is known there, too. */
  #ask(edit, key) {
    const { actions, seen, takesBack } = edit;
    const live = this.#live;
    if (takesBack) return this.#takeBack(takesBack, key);
    if (!edit.overRest && live?.takes(actions)) return live.edit({ actions, seen }, key);
    edit.overRest = true;
    const address = new URL(this.#src, document.baseURI);
    address.pathname += "/changes";
    return request("POST", address, { actions, expected: seen }, { "Idempotency-Key": key });
  }

  #takeBack(id, key) {
    const live = this.#live;
    if (!live?.made(id)) return request("POST", beside(this.#src, `../history/${encodeURIComponent(id)}/rollback`), {});
    if (live.live) return live.undo(id, key);
    throw new Refusal(0, { detail: t("There is no live connection. Try again when there is one.") });
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
