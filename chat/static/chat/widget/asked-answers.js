/* The answers that were asked for in this tab and have not ended, so that other pages of it can say when they do. */

const KEY = "countersign-chat:asked";
/** So many of them are followed at once. */
const MOST = 8;

/** [{runId, sessionId, messageId, stream, workspace, address}], the latest last. */
export function askedAnswers() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

export function rememberAsked(answer) {
  keep([...askedAnswers().filter(({ runId }) => runId !== answer.runId), answer].slice(-MOST));
  document.dispatchEvent(new CustomEvent("countersign:asked", { detail: answer }));
}

export function forgetAsked(runId) {
  keep(askedAnswers().filter((each) => each.runId !== runId));
}

function keep(answers) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(answers));
  } catch {
    // A tab without storage works, it only forgets.
  }
}
