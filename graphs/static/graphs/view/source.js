// Fetches the JSON of a graph, and says in plain words what went wrong.

import { t } from "../strings.js";

/** `title` says what happened, `advice` what to do; `login` and `retry` say which buttons make sense; `gone`: it is not there. */
class LoadError extends Error {
  constructor(title, advice, { login = false, retry = false, gone = false } = {}) {
    super(title);
    Object.assign(this, { title, advice, login, retry, gone });
  }
}

function refused(status) {
  if (status === 401) return new LoadError(
    t("You are signed out"),
    t("Sign in again; you will come back to this page."),
    { login: true },
  );
  if (status === 403) return new LoadError(
    t("This graph is not yours to see"),
    t("Ask an administrator of the workspace for access."),
  );
  if (status === 404) return new LoadError(
    t("There is no such graph"),
    t("It may have been deleted, or it belongs to another workspace."),
    { gone: true },
  );
  if (status === 429) return new LoadError(
    t("Too many requests"),
    t("Wait a moment, then try again."),
    { retry: true },
  );
  return new LoadError(
    t("The server could not send the graph"),
    t("Try again in a moment. (Error {status})", { status }),
    { retry: true },
  );
}

/**
 * {graph, tag}: its JSON, and what names this state of it ("" where nothing does); raises LoadError, or AbortError when
 * `signal` fires. The browser asks with the tag it has, so that what did not change is not sent again.
 */
export async function fetchGraph(src, signal) {
  let response;
  try {
    response = await fetch(src, { credentials: "same-origin", headers: { Accept: "application/json" }, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new LoadError(t("No connection to the server"), t("Check your connection, then try again."), { retry: true });
  }
  if (!response.ok) throw refused(response.status);
  try {
    return { graph: await response.json(), tag: response.headers.get("ETag") ?? "" };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new LoadError(
      t("The graph arrived damaged"),
      t("Try again; if it happens twice, tell an administrator."),
      { retry: true },
    );
  }
}
