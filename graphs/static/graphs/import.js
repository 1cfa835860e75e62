// The import page: dropping a file, and sending it with progress. Without this script the form works by itself.

import { offerUndo, tellUndone } from "./record/list-undo.js";
import { t } from "./strings.js";

const form = document.getElementById("import-form");
const drop = document.getElementById("drop");
const file = drop.querySelector("input");
const progress = document.getElementById("import-progress");
const state = document.getElementById("import-state");
const submit = form.querySelector("button");
/** No more than this is shown of what a server says in its own words. */
const LONGEST = 300;
const TOO_BIG = () => t("The file is too big to be imported here.");

for (const type of ["dragenter", "dragover"]) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files.length) file.files = event.dataTransfer.files;
});

function showState(text) {
  state.value = text;
}

/** Says so at once; the server would only say it after it took as much as it takes. */
function isTooBig() {
  const tooBig = file.files[0]?.size > Number(form.dataset.mostBytes);
  if (tooBig) showState(TOO_BIG());
  return tooBig;
}

function finish() {
  submit.disabled = false;
  progress.hidden = true;
}

function signedOut({ status, responseURL }) {
  return status === 401 || (status === 200 && new URL(responseURL).pathname !== new URL(form.action).pathname);
}

/** What an answer says that is not the import page: the server's own words where it has some. */
function refusalText(request) {
  const { status } = request;
  if (status === 413) return TOO_BIG();
  const given = givenText(request);
  if (given) return given;
  if (status === 429) return tooOften(Number(request.getResponseHeader("Retry-After")));
  if (status >= 500) return t("The server could not take the file. Try again in a moment. (Error {status})", { status });
  return t("The file was not taken. Reload the page and try again. (Error {status})", { status });
}

function tooOften(seconds) {
  if (!seconds) return t("Too many requests. Wait a moment, then try again.");
  return t("Too many requests. Try again in {seconds} seconds.", { seconds });
}

function givenText(request) {
  const type = request.getResponseHeader("Content-Type") ?? "";
  if (type.startsWith("text/plain")) return request.responseText.trim().slice(0, LONGEST);
  if (!type.startsWith("application/problem+json")) return "";
  try {
    return String(JSON.parse(request.responseText).detail ?? "").slice(0, LONGEST);
  } catch {
    return "";
  }
}

function showAnswer(request) {
  finish();
  showState("");
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  const result = answer.getElementById("import-result");
  const place = document.getElementById("import-result");
  place.replaceChildren(...(result?.childNodes ?? []));
  offerUndos();
  if (result) showResult();
  else if (signedOut(request)) window.location.assign(request.status === 401 ? form.action : request.responseURL);
  else showState(refusalText(request));
  if (request.status === 201) form.reset();
}

function showResult() {
  document.querySelector("#import-result [data-result]")?.focus();
}

/** Rows that were imported are taken back beside the notice that says so. */
function offerUndos() {
  for (const notice of document.querySelectorAll("#import-result [data-change]")) offerUndo(notice, form.dataset.workspace);
}

tellUndone(document.getElementById("import-result"));
offerUndos();
showResult(); // Of who sent the form before this script was there.

/** Who waits here for an import, or sees what became of it, is not told once more that it is done. */
document.addEventListener("countersign:ended", (event) => {
  const { what, kind } = event.detail;
  const shown = submit.disabled || document.querySelector("#import-result [data-result]");
  if (what === "imported" && kind === form.dataset.kind && shown && !document.hidden) event.preventDefault();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isTooBig()) return;
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", (sent) => {
    if (!sent.lengthComputable) return;
    progress.value = (100 * sent.loaded) / sent.total;
    const percent = Math.round(progress.value);
    showState(percent < 100 ? t("Uploading: {percent} %", { percent }) : t("Reading the file …"));
  });
  request.addEventListener("load", () => showAnswer(request));
  request.addEventListener("error", () => {
    finish();
    showState(t("The server cannot be reached. Check the connection and try again."));
  });
  request.open("POST", form.action);
  request.send(new FormData(form, event.submitter));
  submit.disabled = true;
  progress.value = 0;
  progress.hidden = false;
});
