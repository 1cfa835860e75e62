/* A proposal as the views know it: from the API, or from the events that told of it. Pure.
 *
 * {id, status, tool, toolCallId, messageId, sessionId, object, arguments, reason, diff, digest, askedBy, createdAt,
 * expiresAt, decidedBy, decidedAt, decidedArguments, feedback, changeSetId, undoneBy, conflicts, askedAgain, counts,
 * cut, generated}; `edited` is what an event tells of the decided arguments. Of a large one, `cut` names what is not whole, and `counts` counts all.
 */

/** From an event; its arguments are not in it, they are asked for where they are needed. */
export function proposalFromEvent(frame) {
  return {
    id: frame.proposalId,
    status: "pending",
    tool: frame.tool,
    toolCallId: frame.toolCallId,
    messageId: frame.messageId,
    sessionId: frame.sessionId,
    object: frame.object ?? null,
    arguments: frame.arguments ?? null,
    reason: frame.reason ?? "",
    diff: frame.diff ?? [],
    counts: frame.counts,
    cut: frame.cut ?? [],
    digest: frame.digest,
    askedBy: frame.askedBy ?? [],
    createdAt: frame.createdAt ?? new Date().toISOString(),
    expiresAt: frame.expiresAt ?? null,
    decidedBy: null,
    decidedAt: null,
    feedback: "",
    changeSetId: null,
    conflicts: [],
    generated: frame.generated ?? false,
  };
}

/** What a `decision` event says of it. */
export function decisionFrom(event) {
  const { status, decidedBy, decidedAt, changeSetId, conflicts, feedback, problem, edited, diff, cut } = event;
  return {
    status,
    decidedBy: decidedBy ?? null,
    decidedAt: decidedAt ?? new Date().toISOString(),
    changeSetId: changeSetId ?? null,
    conflicts: conflicts ?? [],
    ...(feedback && { feedback }),
    ...(problem && { problem }),
    ...(edited && { edited }),
    ...(diff && { diff }),
    ...(cut && { cut }),
  };
}

/** The status people see: what was taken back is undone, and one whose time is over expired before the server says so. */
export function statusOf({ status, expiresAt, undoneBy }, now = Date.now()) {
  if (status === "applied" && undoneBy) return "undone";
  return status === "pending" && expiresAt && Date.parse(expiresAt) <= now ? "expired" : status;
}

export function isPending(proposal) {
  return statusOf(proposal) === "pending";
}

/** Whether a person made something else of it before they approved it. */
export function wasEdited({ status, edited, decidedArguments }) {
  return status === "applied" && Boolean(edited || decidedArguments);
}

/** The list with this proposal in its place, or at the end. */
export function withProposal(proposals, proposal) {
  const known = proposals.some(({ id }) => id === proposal.id);
  if (!known) return [...proposals, proposal];
  return proposals.map((each) => (each.id === proposal.id ? newer(each, proposal) : each));
}

/** A whole list as it is now, with what was known of its proposals. */
export function withKnown(proposals, known) {
  const before = new Map(known.map((each) => [each.id, each]));
  return proposals.map((each) => (before.has(each.id) ? newer(before.get(each.id), each) : each));
}

export function isCut({ cut = [] }, name) {
  return cut.includes(name);
}

/** What is not told stays as it was, and what was decided stays decided: an answer may be older than an event. What was
 * taken back may be done again. What is known whole is not cut again. */
function newer(known, proposal) {
  if (known.status !== "pending" && proposal.status === "pending") return known;
  const kept = (proposal.cut ?? []).filter((name) => isWholeAlready(name, known, proposal));
  const told = Object.entries({ ...proposal, ...stillCut(known, proposal, kept) })
    .filter(([name, value]) => !kept.includes(name) && ((value ?? null) !== null || name === "undoneBy"));
  const news = told.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]));
  return news.length > 0 ? { ...known, ...Object.fromEntries(news) } : known;
}

/** The digest names arguments, diff and targets; conflicts come with the decision. */
function isWholeAlready(name, known, proposal) {
  const asBefore = (part) => !proposal[part] || known[part] === proposal[part];
  return asBefore(name === "conflicts" ? "status" : "digest") && !isCut(known, name) && (known[name] ?? null) !== null;
}

function stillCut(known, proposal, kept) {
  if (!known.cut && !proposal.cut) return {};
  const before = (known.cut ?? []).filter((name) => !(name in proposal));
  return { cut: [...before, ...(proposal.cut ?? []).filter((name) => !kept.includes(name))] };
}
