// Requests to the API: same-origin cookies, the CSRF token; what is refused becomes a Refusal.

import { t } from "./strings.js";

/** `message` is for the person; `code`, `conflicts` and `errors` are those of the problem document, which is the `body`. */
export class Refusal extends Error {
  constructor(status, body = {}) {
    super((status !== 401 && (body.detail || body.title)) || sentence(status));
    const { code = "", conflicts = [], errors = {} } = body;
    Object.assign(this, { status, body, code, conflicts, errors });
  }

  /** It may be that it was done, or that it would be now. */
  get passing() {
    return [0, 502, 503, 504].includes(this.status) || this.code === "busy";
  }
}

function sentence(status) {
  if (status === 0) return t("The server cannot be reached. Check the connection and try again.");
  if (status === 401) return t("You are signed out. Sign in in another tab, then try again.");
  if (status === 429) return t("Too many requests. Wait a moment, then try again.");
  return t("The server could not do this. Try again in a moment. (Error {status})", { status });
}

/** What `ask()` gives; where it was refused, what `refused(refusal)` gives. */
export async function unlessRefused(ask, refused) {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(error);
  }
}

/** The JSON of the answer, null where it has no content; raises Refusal. */
export async function request(method, address, body, more = {}) {
  const headers = { Accept: "application/json", ...more };
  if (method !== "GET") headers["X-CSRFToken"] = cookie("__Host-csrftoken") || cookie("csrftoken");
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init = { method, headers, credentials: "same-origin", body: body && JSON.stringify(body) };
  const response = await fetch(address, init).catch(() => null);
  if (response?.status === 204) return null;
  const answer = (await response?.json().catch(() => null)) ?? null;
  if (response?.ok && answer) return answer;
  throw new Refusal(response?.ok ? 502 : response?.status ?? 0, answer ?? {});
}

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export class Api {
  /** `base` is the address of the API with its slash. */
  constructor(base, workspace) {
    this.base = new URL(base, document.baseURI);
    this.workspace = workspace;
  }

  /** Where a link leads that a browser follows by itself: a file to be stored. */
  linkTo(path) {
    const address = new URL(path, this.base);
    if (this.workspace) address.searchParams.set("workspace", this.workspace);
    return address.href;
  }

  request(method, path, body) {
    return request(method, new URL(path, this.base), body, this.workspace ? { "X-Workspace": this.workspace } : {});
  }

  /** A further page; the address came from the server and must stay on it. */
  page(address) {
    const { pathname, search } = new URL(address, this.base);
    return this.request("GET", `${pathname}${search}`);
  }
}
