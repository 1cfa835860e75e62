/* The conversation's REST endpoints. */

import { Api } from "../../graphs/requests.js";

export class ChatApi extends Api {
  /** `base` is the address of the API with its slash; `context` is {type, id} or null; `signedOut` is told of it. */
  constructor({ base, workspace, context, signedOut = () => {} }) {
    super(base, workspace);
    this.context = context;
    this.signedOut = signedOut;
  }

  sessions({ archived = false } = {}) {
    const which = archived ? `?archived=true${this.aboutContext("&")}` : this.aboutContext("?");
    return this.request("GET", `chat/sessions${which}`);
  }

  /** Those of others, who share them with the reader; of many the latest. */
  sharedSessions() {
    return this.request("GET", `chat/sessions?shared=true${this.aboutContext("&")}`);
  }

  aboutContext(before) {
    return this.context ? `${before}context=${encodeURIComponent(`${this.context.type}:${this.context.id}`)}` : "";
  }

  /** {shares, links, people} of an own conversation. */
  shares(id) {
    return this.request("GET", `chat/sessions/${encodeURIComponent(id)}/shares`);
  }

  /** `body` is {user, access} or {link, expiresAt, reasoning, toolResults}. */
  share(id, body) {
    return this.request("POST", `chat/sessions/${encodeURIComponent(id)}/shares`, body);
  }

  unshare(id, share) {
    return this.request("DELETE", `chat/sessions/${encodeURIComponent(id)}/shares?share=${encodeURIComponent(share)}`);
  }

  session(id) {
    return this.request("GET", `chat/sessions/${encodeURIComponent(id)}`);
  }

  /** `change` is {title}, {model}, {requireValidation} or {archived}. */
  changeSession(id, change) {
    return this.request("PATCH", `chat/sessions/${encodeURIComponent(id)}`, change);
  }

  remove(id) {
    return this.request("DELETE", `chat/sessions/${encodeURIComponent(id)}`);
  }

  /** Where a conversation is a file; `wanted` are {format, reasoning, tools}. */
  exportOf(id, wanted) {
    return this.linkTo(`chat/sessions/${encodeURIComponent(id)}/export?${new URLSearchParams(wanted)}`);
  }

  messages(id) {
    return this.request("GET", `chat/sessions/${encodeURIComponent(id)}/messages`);
  }

  /** `inPrompt` is "auto", "pinned" or "left_out". */
  keepMessage(id, inPrompt) {
    return this.request("PATCH", `chat/messages/${encodeURIComponent(id)}`, { inPrompt });
  }

  /** `feedback` is {vote: 1 | -1 | 0, comment}. */
  rate(id, feedback) {
    return this.request("PUT", `chat/messages/${encodeURIComponent(id)}/feedback`, feedback);
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

  /** {results, next} of what runs or waits in the workspace. */
  queue(cursor) {
    return this.request("GET", `queue${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
  }

  cancelQueued(id) {
    return this.request("POST", `queue/${encodeURIComponent(id)}/cancel`, {});
  }

  retryQueued(id) {
    return this.request("POST", `queue/${encodeURIComponent(id)}/retry`, {});
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

  /** {runId, streamId}; `wishes` are {instructions?, count?}. */
  generate(prompt, wishes) {
    return this.request("POST", `structured/${encodeURIComponent(prompt)}`, { context: this.context, ...wishes });
  }

  generation(runId) {
    return this.request("GET", `structured/${encodeURIComponent(runId)}`);
  }

  cancelGeneration(runId) {
    return this.request("PATCH", `structured/${encodeURIComponent(runId)}/cancel`, {});
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
    return (await this.request("GET", `streams/events/${encodeURIComponent(stream)}?after=0&limit=1`)).last;
  }

  async request(method, path, body) {
    try {
      return await super.request(method, path, body);
    } catch (error) {
      if (error.status === 401 || error.code === "not_authenticated") this.signedOut();
      throw error;
    }
  }
}

function objectPath({ type, id }) {
  return `objects/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
}
