// What editing asks of the server: changes, taking them back, the types that nodes can have.

import { t } from "../../strings.js";

/** The code of what was asked live and has no answer: it may have been done. */
export const UNANSWERED = "unanswered";

/** `message` is for the person; `code`, `conflicts` and `errors` are those of the problem document. */
export class EditError extends Error {
  constructor(status, { detail, code = "", conflicts = [], errors = {} } = {}) {
    super(detail || t("The server could not save this. (Error {status})", { status }));
    Object.assign(this, { status, code, conflicts, errors });
  }

  /** It may be that it was done, or that it would be now. */
  get passing() {
    return [0, 502, 503, 504].includes(this.status);
  }
}

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export class Requests {
  #graph;
  #live;
  /** Keys that were sent over REST, which alone knows whether it was done; what was done live is known there, too. */
  #overRest = new Set();

  /** `src` is the address of the graph; the others lie beside it. `live` (live/live.js) takes what it can, null for none. */
  constructor(src, live = null) {
    this.#graph = new URL(src, document.baseURI);
    this.#live = live;
  }

  /**
   * The change set of `actions`, or what a live edit did in the shape of one; `seen` are the items as the person saw
   * them, `key` makes it happen once.
   */
  change({ actions, seen }, key) {
    if (!this.#overRest.has(key) && this.#live?.takes(actions)) return this.#live.edit({ actions, seen }, key);
    this.#overRest.add(key);
    const address = new URL(this.#graph);
    address.pathname += "/changes";
    return this.#send("POST", address, { actions, expected: seen }, { "Idempotency-Key": key });
  }

  /** What takes a change set back, or a live edit. */
  rollback(id, key) {
    if (this.#live?.made(id)) {
      if (this.#live.live) return this.#live.undo(id, key);
      throw new EditError(0, { detail: t("There is no live connection. Try again when there is one.") });
    }
    return this.#send("POST", this.#beside(`../history/${encodeURIComponent(id)}/rollback`), {});
  }

  /** All node types that the workspace defined. */
  async nodeTypes() {
    const found = [];
    let next = this.#beside("../node-types");
    next.searchParams.set("limit", "200");
    while (next) {
      const page = await this.#send("GET", next);
      found.push(...page.results);
      next = page.next && new URL(new URL(page.next).pathname + new URL(page.next).search, this.#graph);
    }
    return found;
  }

  #beside(path) {
    const address = new URL(path, this.#graph);
    address.search = this.#graph.search;
    return address;
  }

  async #send(method, address, body, more = {}) {
    const headers = { Accept: "application/json", ...more };
    if (body) Object.assign(headers, { "Content-Type": "application/json", "X-CSRFToken": cookie("csrftoken") });
    let response;
    try {
      response = await fetch(address, { method, headers, credentials: "same-origin", body: body && JSON.stringify(body) });
    } catch {
      throw new EditError(0, { detail: t("The server cannot be reached. Check your connection.") });
    }
    const answer = await response.json().catch(() => null);
    if (response.ok && answer) return answer;
    if (response.status === 401) throw new EditError(401, {
      detail: t("You are signed out. Sign in in another tab, then save again."),
    });
    throw new EditError(response.ok ? 502 : response.status, answer ?? {});
  }
}
