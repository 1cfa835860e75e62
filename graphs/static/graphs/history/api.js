// The REST doors of the history.

import { Api } from "../requests.js";

export class HistoryApi extends Api {
  #object;

  /** `base` is the address of the API, `object` the one whose history it is, as "graph:nba". */
  constructor({ base, workspace, object }) {
    super(base, workspace);
    this.#object = object;
  }

  /** A page of the timeline; `filters` are {who, origin, session, field, from, to}. */
  timeline(filters) {
    const given = Object.entries(filters).filter(([, value]) => value);
    const query = new URLSearchParams({ object: this.#object, ...Object.fromEntries(given) });
    return this.request("GET", `history?${query}`);
  }

  /** Where all of the history is a file: "json", "csv" or "pdf". */
  exportAs(format) {
    return this.linkTo(`history/export?${new URLSearchParams({ object: this.#object, format })}`);
  }

  /** A change set with the first of its modifications; `search` is in what they are about, or in their field. */
  changeSet(id, search = "") {
    const query = search ? `?${new URLSearchParams({ search })}` : "";
    return this.request("GET", `history/${encodeURIComponent(id)}${query}`);
  }

  versions(a, b) {
    return this.request("GET", `history/versions?${new URLSearchParams({ object: this.#object, a, b })}`);
  }

  /**
   * `scope` is {changeSet}, or what `POST history/rollback` takes: {modification}, {turn}, {session}, or {version} of
   * the object. `wish` is {preview: true, leaveOut} or {digest, leaveOut, reason}.
   */
  rollBack(scope, wish) {
    if (scope.changeSet) return this.request("POST", `history/${encodeURIComponent(scope.changeSet)}/rollback`, wish);
    const whole = scope.version === undefined ? scope : { ...scope, object: this.#named };
    return this.request("POST", "history/rollback", { scope: whole, ...wish });
  }

  get #named() {
    const colon = this.#object.indexOf(":");
    return { type: this.#object.slice(0, colon), id: this.#object.slice(colon + 1) };
  }
}
