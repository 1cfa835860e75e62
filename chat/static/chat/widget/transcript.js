/* Folds a conversation's stored messages and its events into the list that is shown. Pure: old values stay valid.
 *
 * A transcript is {messages, last, title, summary}; `last` is the sequence number of the newest event folded. A message
 * is {id, localId?, role, author, status: sending|complete|queued|streaming|stopped|failed, content, reasoning, toolCalls, model,
 * modelId, deepens, gaveUp, createdAt, runId, notice, ask, usage, error, proposals, changes, inPrompt, feedback}; a tool call is
 * {id, name, args, argsText, result, status}, its status running|ok|error|stopped; `argsText` is what was written of
 * its arguments until all of them are known. `changes` is how many changes were recorded, null where nobody
 * says. `summary` stands for the messages before {before} where the conversation has outgrown its model.
 * `author` wrote it where that was not the conversation's owner; undefined until the server has told.
 * A message that did not change is the same object as before, so that a view need not look into it.
 */

import { decisionFrom, proposalFromEvent, withProposal } from "../proposals/proposal.js";
import { toolCallFromRest, toolStatus } from "./toolcalls.js";

const FINAL = new Set(["complete", "stopped", "failed"]);
const LIVE = new Set(["queued", "streaming"]);
const END_STATUS = { stopped: "stopped" };
/** An answer of which nothing is written yet. */
const NOTHING = {
  content: "", reasoning: "", toolCalls: [], proposals: [], changes: null, error: null, ask: null, notice: null,
  usage: null, gaveUp: false,
};
const SENT = { inPrompt: "auto", feedback: null };

export function emptyTranscript(last = 0) {
  return { messages: [], last, title: null, summary: null };
}

/** The newest page of stored messages; events after its cursor are folded onto it. */
export function fromPage(page) {
  return { messages: page.results.map(fromRest), last: page.after ?? 0, title: null, summary: page.summary ?? null };
}

export function withOlder(transcript, page) {
  const known = new Set(transcript.messages.map(({ id }) => id));
  const older = page.results.map(fromRest).filter(({ id }) => !known.has(id));
  return { ...transcript, messages: [...older, ...transcript.messages] };
}

/** What was waiting for the person when the conversation was loaded, shown under its last answer. */
export function withWaiting(transcript, waiting) {
  const ask = askFrom(waiting);
  const last = transcript.messages.findLast(({ role }) => role === "assistant");
  return ask && last ? changed(transcript, last.id, { ask }) : transcript;
}

/** The person's message, before the server knows it. */
export function withUnsent(transcript, { localId, text, createdAt }) {
  const sent = { id: localId, localId, role: "user", author: undefined, status: "sending", content: text, createdAt };
  const message = blank(sent);
  return { ...transcript, messages: [...transcript.messages, message] };
}

export function withoutUnsent(transcript, localId) {
  return { ...transcript, messages: transcript.messages.filter(({ id }) => id !== localId) };
}

/** The server took the message: its ids are known, its answer is on the way. Events bring what is not shown here. */
export function withAccepted(transcript, localId, { userMessageId, messageId, runId }) {
  const known = transcript.messages.some(({ id }) => id === userMessageId);
  if (!known && !transcript.messages.some(({ id }) => id === localId)) return transcript;
  const messages = known
    ? transcript.messages.filter(({ id }) => id !== localId)
    : transcript.messages.map((message) =>
        message.id === localId ? { ...message, id: userMessageId, status: "complete" } : message);
  const next = { ...transcript, messages };
  return withMessage(next, messageId, { role: "assistant", status: "queued", runId, createdAt: now() });
}

/** A proposal as the server has it now, in the answer that made it. */
export function withDecided(transcript, proposal) {
  const holder = transcript.messages.find(({ proposals }) => proposals.some(({ id }) => id === proposal.id));
  if (!holder) return transcript;
  return changed(transcript, holder.id, { proposals: withProposal(holder.proposals, proposal) });
}

/** A message that is always kept for the model, left out, or neither. */
export function withKept(transcript, { messageId, inPrompt }) {
  return changed(transcript, messageId, { inPrompt });
}

/** An answer with the reader's own vote on it. */
export function withRated(transcript, { messageId, feedback }) {
  return changed(transcript, messageId, { feedback });
}

/** True where events between the transcript and this frame are missing. */
export function hasGap(transcript, frame) {
  return frame.sequence > transcript.last + 1;
}

/** The transcript after one event frame; repeats change nothing. */
export function fold(transcript, frame) {
  if (!(frame.sequence > transcript.last)) return transcript;
  const next = { ...transcript, last: frame.sequence };
  return FOLDS[frame.type]?.(next, frame) ?? next;
}

export function isRunning(transcript) {
  return transcript.messages.some(({ role, status }) => role === "assistant" && LIVE.has(status));
}

const FOLDS = {
  "ai:user_message": (transcript, { messageId, content, author = null }) =>
    withMessage(transcript, messageId, { role: "user", status: "complete", content, createdAt: now() }, () => ({ author })),
  "ai:status": foldStatus,
  "ai:token": (transcript, frame) =>
    writing(transcript, frame, (message) => ({ content: message.content + frame.token })),
  "ai:reasoning": (transcript, frame) =>
    writing(transcript, frame, (message) => ({ reasoning: message.reasoning + frame.token })),
  "ai:tool_start": (transcript, { toolCallId, toolName, args, ...frame }) =>
    writing(transcript, frame, (message) => withTool(message, toolCallId, { name: toolName, args, status: "running" })),
  "ai:tool_delta": (transcript, { toolCallId, delta, args, ...frame }) =>
    writing(transcript, frame, (message) => {
      if (args !== undefined) return withTool(message, toolCallId, { args, argsText: "" });
      const argsText = (message.toolCalls.find(({ id }) => id === toolCallId)?.argsText ?? "") + (delta ?? "");
      return withTool(message, toolCallId, { argsText });
    }),
  "ai:tool_result": (transcript, { toolCallId, result, status, ...frame }) =>
    writing(transcript, frame, (message) =>
      withTool(message, toolCallId, { result, status: toolStatus(status, result) })),
  "ai:tool_limit": (transcript, frame) =>
    changed(transcript, frame.messageId, { ask: askFrom({ ...frame, kind: "tool_limit" }) }),
  "ai:question": (transcript, frame) => changed(transcript, frame.messageId, { ask: askFrom(frame) }),
  "ai:proposal": (transcript, frame) =>
    withMessage(transcript, frame.messageId, { status: "streaming", runId: frame.runId }, ({ proposals }) => {
      const known = proposals.some(({ id }) => id === frame.proposalId);
      return known ? {} : { proposals: [...proposals, proposalFromEvent(frame)] };
    }),
  "ai:decision": (transcript, frame) => withDecided(transcript, { id: frame.proposalId, ...decisionFrom(frame) }),
  "ai:usage": (transcript, { messageId, model, modelId, ...used }) =>
    changed(transcript, messageId, ({ usage }) =>
      ({ usage: added(usage, used), ...(model && { model }), ...(modelId && { modelId }) })),
  "ai:session_updated": (transcript, { title, summary, message }) => {
    const next = message ? withKept(transcript, message) : transcript;
    return { ...next, title: title || next.title, summary: summary === undefined ? next.summary : summary };
  },
  "ai:complete": (transcript, { messageId, fullText, reason, changes, gaveUp }) =>
    changed(transcript, messageId, (message) => ({
      changes: changes ?? null,
      gaveUp: Boolean(gaveUp),
      content: typeof fullText === "string" && fullText ? fullText : message.content,
      status: END_STATUS[reason] ?? "complete",
      notice: null,
      toolCalls: settledTools(message.toolCalls),
    })),
  /** One that another process took over is written anew. */
  "ai:generation": (transcript, { messageId, runId, state, progress }) =>
    state === "running" && messageId && !progress
      ? withMessage(transcript, messageId, { role: "assistant", runId }, ({ status }) =>
          (FINAL.has(status) ? {} : { ...NOTHING, runId, status: "streaming" }))
      : transcript,
  "ai:error": (transcript, frame) =>
    withMessage(transcript, frame.messageId, { role: "assistant" }, (message) => ({
      status: "failed",
      notice: null,
      error: errorFrom(frame),
      gaveUp: Boolean(frame.gaveUp),
      toolCalls: settledTools(message.toolCalls),
    })),
};

function foldStatus(transcript, { messageId, runId, state, attempt, delayS, code, deepens = null }) {
  if (!messageId) return transcript;
  const start = { role: "assistant", status: "queued", runId, deepens };
  return withMessage(transcript, messageId, start, (message) => {
    const again = Boolean(message.runId && runId && message.runId !== runId);
    if (FINAL.has(message.status) && !again) return {};
    const status = statusOf(state, message);
    if (again && LIVE.has(status)) return { ...NOTHING, runId, status };
    const notice = state === "retrying" ? { attempt, delayS, code } : null;
    return { status, notice, runId: runId ?? message.runId };
  });
}

function statusOf(state, message) {
  if (state === "queued") return "queued";
  if (state === "cancelled") return "stopped";
  if (state === "failed") return "failed";
  if (state === "succeeded") return "complete";
  return state === "waiting" ? message.status : "streaming";
}

/** What the model writes goes to a message that is still open; replays of finished ones change nothing. */
function writing(transcript, { messageId, runId }, change) {
  return withMessage(transcript, messageId, { role: "assistant", status: "streaming", runId }, (message) =>
    FINAL.has(message.status) ? {} : { status: "streaming", notice: null, ...change(message) });
}

function withTool(message, id, change) {
  const known = message.toolCalls.some((call) => call.id === id);
  const call = { id, name: "", args: undefined, argsText: "", result: undefined, status: "running" };
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (!known) return { toolCalls: [...message.toolCalls, { ...call, ...given }] };
  return { toolCalls: message.toolCalls.map((each) => (each.id === id ? { ...each, ...given } : each)) };
}

/** An answer takes several calls of the model; each tells what it used. An unknown price makes the sum unknown. */
function added(before, { promptTokens = 0, completionTokens = 0, cachedTokens = 0, cost, estimated }) {
  const known = cost !== null && cost !== undefined && before?.cost !== null;
  return {
    promptTokens: (before?.promptTokens ?? 0) + promptTokens,
    completionTokens: (before?.completionTokens ?? 0) + completionTokens,
    cachedTokens: (before?.cachedTokens ?? 0) + cachedTokens,
    cost: known ? (before?.cost ?? 0) + Number(cost) : null,
    ...((estimated || before?.estimated) && { estimated: true }),
  };
}

/** A run that ended leaves no call running: what has no result never got one. */
function settledTools(calls) {
  if (!calls.some(({ status }) => status === "running")) return calls;
  return calls.map((call) => (call.status === "running" ? { ...call, status: "stopped" } : call));
}

/** Adds the message as `start` where it is unknown, then applies `change` to it. Known messages keep their place. */
function withMessage(transcript, id, start, change) {
  if (!id) return transcript;
  const known = transcript.messages.some((message) => message.id === id);
  const messages = known ? transcript.messages : [...transcript.messages, blank({ ...start, id })];
  const next = { ...transcript, messages };
  return change ? changed(next, id, change) : next;
}

function changed(transcript, id, change) {
  const messages = transcript.messages.map((message) => {
    if (message.id !== id) return message;
    const differences = typeof change === "function" ? change(message) : change;
    return Object.keys(differences).length > 0 ? { ...message, ...differences } : message;
  });
  return { ...transcript, messages };
}

function now() {
  return new Date().toISOString();
}

function blank(given) {
  return {
    id: "", role: "assistant", author: null, status: "queued", model: "", modelId: "", deepens: null, createdAt: null, runId: null,
    ...NOTHING, ...SENT, ...given,
  };
}

function fromRest({ toolCalls = [], error, ...message }) {
  const calls = toolCalls.map(toolCallFromRest);
  return blank({ status: "complete", ...message, toolCalls: calls, error: error ? errorFrom(error) : null });
}

function errorFrom({ code, message, error, retryable, corrections }) {
  const told = { code: code ?? "internal", message: message || error || "", retryable: Boolean(retryable) };
  return { ...told, corrections: corrections ?? [] };
}

/** {kind: "toolLimit", roundsUsed, maxExtended}, {kind: "question", questionId, answerKind, text, options} or null. */
function askFrom(waiting) {
  const kind = waiting?.kind ?? waiting?.type;
  if (kind === "tool_limit" || kind === "toolLimit") {
    return { kind: "toolLimit", roundsUsed: waiting.roundsUsed, maxExtended: waiting.maxExtended };
  }
  const questionId = waiting?.questionId ?? (kind === "question" ? waiting.id : null);
  if (!questionId) return null;
  const { text = "", options = [] } = waiting;
  return { kind: "question", questionId, answerKind: waiting.answerKind ?? kind, text, options: options ?? [] };
}
