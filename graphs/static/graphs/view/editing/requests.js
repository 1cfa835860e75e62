// A request of editing to the server, and what is wrong where it is refused.

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

/** An address beside that of the graph, in the same workspace. */
export function beside(src, path) {
  const graph = new URL(src, document.baseURI);
  const address = new URL(path, graph);
  address.search = graph.search;
  return address;
}

/** The JSON of the answer; raises EditError. */
export async function request(method, address, body, more = {}) {
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
