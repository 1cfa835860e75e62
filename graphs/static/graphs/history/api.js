// The REST doors of the history. Same-origin cookies and the CSRF token; what is refused becomes a Refusal.

import { t } from "../strings.js";

/** `message` is for people; `code` and `problem` are the answer's. */
class Refusal extends Error {
  constructor(status, problem = {}) {
    super(problem.detail || problem.title || sentence(status));
    Object.assign(this, { status, problem, code: problem.code ?? "" });
  }
}

function sentence(status) {
  if (status === 0) return t("The server cannot be reached. Check the connection and try again.");
  if (status === 401) return t("You are signed out");
  if (status === 429) return t("Too many requests. Wait a moment, then try again.");
  return t("Try again in a moment. (Error {status})", { status });
}

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export class HistoryApi {
  #base;
  #workspace;
  #object;

  /** `base` is the address of the API, `object` the one whose history it is, as "graph:nba". */
  constructor({ base, workspace, object }) {
    this.#base = new URL(base, document.baseURI);
    this.#workspace = workspace;
    this.#object = object;
  }

  /** A page of the timeline; `filters` are {who, origin, session, field, from, to}. */
  timeline(filters) {
    const given = Object.entries(filters).filter(([, value]) => value);
    const query = new URLSearchParams({ object: this.#object, ...Object.fromEntries(given) });
    return this.#request("GET", `history?${query}`);
  }

  /** A further page; the address came from the server and must stay on it. */
  page(address) {
    const { pathname, search } = new URL(address, this.#base);
    return this.#request("GET", `${this.#base.origin}${pathname}${search}`);
  }

  /** A change set with the first of its modifications; `search` is in what they are about, or in their field. */
  changeSet(id, search = "") {
    const query = search ? `?${new URLSearchParams({ search })}` : "";
    return this.#request("GET", `history/${encodeURIComponent(id)}${query}`);
  }

  versions(a, b) {
    return this.#request("GET", `history/versions?${new URLSearchParams({ object: this.#object, a, b })}`);
  }

  /**
   * `scope` is {changeSet}, or what `POST history/rollback` takes: {modification}, {turn}, {session}, or {version} of
   * the object. `wish` is {preview: true, leaveOut} or {digest, leaveOut, reason}.
   */
  rollBack(scope, wish) {
    if (scope.changeSet) return this.#request("POST", `history/${encodeURIComponent(scope.changeSet)}/rollback`, wish);
    const whole = scope.version === undefined ? scope : { ...scope, object: this.#named };
    return this.#request("POST", "history/rollback", { scope: whole, ...wish });
  }

  get #named() {
    const colon = this.#object.indexOf(":");
    return { type: this.#object.slice(0, colon), id: this.#object.slice(colon + 1) };
  }

  async #request(method, path, body) {
    const headers = { Accept: "application/json" };
    if (this.#workspace) headers["X-Workspace"] = this.#workspace;
    if (method !== "GET") headers["X-CSRFToken"] = cookie("csrftoken");
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init = { method, headers, credentials: "same-origin", body: body && JSON.stringify(body) };
    const response = await fetch(new URL(path, this.#base), init).catch(() => null);
    const answer = (await response?.json().catch(() => null)) ?? {};
    if (!response?.ok) throw new Refusal(response?.status ?? 0, answer);
    return answer;
  }
}
