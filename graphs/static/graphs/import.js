// The import page: dropping a file, and sending it with progress. Without this script the form works by itself.

import { t } from "./strings.js";

const form = document.getElementById("import-form");
const drop = document.getElementById("drop");
const file = drop.querySelector("input");
const progress = document.getElementById("import-progress");
const state = document.getElementById("import-state");
const submit = form.querySelector("button");

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

function finish() {
  submit.disabled = false;
  progress.hidden = true;
}

function showAnswer(request) {
  finish();
  showState("");
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  const result = answer.getElementById("import-result");
  if (!result) {
    window.location.assign(request.responseURL); // Signed out meanwhile.
    return;
  }
  const place = document.getElementById("import-result");
  place.replaceChildren(...result.childNodes);
  place.querySelector("[data-result]")?.focus();
  if (request.status === 201) form.reset();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
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
  request.send(new FormData(form));
  submit.disabled = true;
  progress.value = 0;
  progress.hidden = false;
});
