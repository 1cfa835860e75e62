/* The conversation's REST endpoints. Same-origin cookies, the CSRF token, the workspace; errors become ApiError. */

import { t } from "../../graphs/strings.js";

export class ApiError extends Error {
  /** `body` is the whole problem document. */
  constructor(status, body = {}) {
    const { title, detail, code, errors } = body;
    super(detail || title || t("The server answered with status {status}.", { status }));
    this.status = status;
    this.code = code ?? "";
    this.errors = errors ?? {};
    this.body = body;
  }
}

export class ChatApi {
  /** `base` is the address of the API with its slash; `context` is {type, id} or null; `signedOut` is told of it. */
  constructor({ base, workspace, context, signedOut = () => {} }) {
    this.base = new URL(base, document.baseURI);
    this.workspace = workspace;
    this.context = context;
    this.signedOut = signedOut;
  }

  sessions() {
    const query = this.context ? `?context=${encodeURIComponent(`${this.context.type}:${this.context.id}`)}` : "";
    return this.request("GET", `chat/sessions${query}`);
  }

  session(id) {
    return this.request("GET", `chat/sessions/${encodeURIComponent(id)}`);
  }

  rename(id, title) {
    return this.request("PATCH", `chat/sessions/${encodeURIComponent(id)}`, { title });
  }

  chooseModel(id, model) {
    return this.request("PATCH", `chat/sessions/${encodeURIComponent(id)}`, { model });
  }

  askAlways(id, requireValidation) {
    return this.request("PATCH", `chat/sessions/${encodeURIComponent(id)}`, { requireValidation });
  }

  remove(id) {
    return this.request("DELETE", `chat/sessions/${encodeURIComponent(id)}`);
  }

  messages(id) {
    return this.request("GET", `chat/sessions/${encodeURIComponent(id)}/messages`);
  }

  /** `inPrompt` is "auto", "pinned" or "left_out". */
  keepMessage(id, inPrompt) {
    return this.request("PATCH", `chat/messages/${encodeURIComponent(id)}`, { inPrompt });
  }

  /** Of the whole workspace; no page is needed, there are few. */
  alwaysSent() {
    return this.request("GET", "always-send?limit=100");
  }

  /** `part` is "type:id"; without it it is the object itself. */
  alwaysSend(object, part, alwaysSend) {
    return this.request("PUT", `${objectPath(object)}/always-send`, { part: part || null, alwaysSend });
  }

  models() {
    return this.request("GET", "chat/models");
  }

  /** {results: [{object, title, url}]} of those named "type:key" that have a page that the reader may see. */
  links(objects) {
    return this.request("POST", "chat/links", { objects });
  }

  /** The proposals that wait about an object. */
  pendingProposals({ type, id }) {
    return this.request("GET", `proposals?status=pending&limit=200&object=${encodeURIComponent(`${type}:${id}`)}`);
  }

  /** {count, more, streamId} of all that wait in the workspace. */
  waiting() {
    return this.request("GET", "proposals/waiting");
  }

  proposal(id) {
    return this.request("GET", `proposals/${encodeURIComponent(id)}`);
  }

  preview(id, editedArguments) {
    return this.request("POST", `proposals/${encodeURIComponent(id)}/preview`, { editedArguments });
  }

  decide(id, choice) {
    return this.request("POST", `proposals/${encodeURIComponent(id)}/decide`, choice);
  }

  decideAll(ids, approved) {
    return this.request("POST", "proposals/decide", { ids, approved });
  }

  proposeAgain(id) {
    return this.request("POST", `proposals/${encodeURIComponent(id)}/propose-again`, {});
  }

  rollBack(changeSetId, choice) {
    return this.request("POST", `history/${encodeURIComponent(changeSetId)}/rollback`, choice);
  }

  /** The name of an object's stream. */
  async streamOf(object) {
    return (await this.request("GET", `${objectPath(object)}/stream`)).stream;
  }

  /** The version of an object now. */
  async versionOf(object) {
    return (await this.request("GET", objectPath(object))).version;
  }

  /** The number of a stream's last event. */
  async lastOf(stream) {
    const { last } = await this.request("GET", `streams/events/${encodeURIComponent(stream)}?after=0&limit=1`);
    return last;
  }

  /** A further page; the address came from the server and must stay on it. */
  page(address) {
    const url = new URL(address, this.base);
    return this.request("GET", `${this.base.origin}${url.pathname}${url.search}`);
  }

  async request(method, path, body) {
    const response = await this.fetch(method, path, body);
    if (response.status === 204) return null;
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    if (response.status === 401 || answer.code === "not_authenticated") this.signedOut();
    throw new ApiError(response.status, answer);
  }

  async fetch(method, path, body) {
    const headers = { Accept: "application/json" };
    if (this.workspace) headers["X-Workspace"] = this.workspace;
    if (method !== "GET") headers["X-CSRFToken"] = cookie("csrftoken");
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init = { method, headers, credentials: "same-origin", body: body && JSON.stringify(body) };
    try {
      return await fetch(new URL(path, this.base), init);
    } catch {
      throw new ApiError(0, { code: "network", detail: t("The server cannot be reached. Check your connection.") });
    }
  }
}

function objectPath({ type, id }) {
  return `objects/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
}

function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}
