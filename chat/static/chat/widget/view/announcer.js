/* Tells screen readers what happened, in whole sentences and never token by token. */

import { changeTitle } from "../../../graphs/diff.js";
import { t } from "../../../graphs/strings.js";
import { statusText } from "../../proposals/words.js";
import { h } from "../elements.js";
import { Markdown } from "../markdown.js";
import { hasTitle } from "../mentions.js";
import { connectionText, errorText } from "../words.js";

const LONGEST = 500;
const MOST_READ = 8 * LONGEST;
const BLOCKS = ":not(em, strong, del, code, a, a > span, button, button *, [data-mention])";
/** So long an answer waits for the titles of what it mentions. */
const PATIENCE_MS = 2_000;
const MUTED_STATES = new Set(["idle", "connecting"]);

export class Announcer {
  /** `mentions` has the titles of objects. */
  constructor(mentions) {
    this.mentions = mentions;
    this.turn = 0;
    this.element = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.wasAway = false;
  }

  say(text) {
    this.turn += 1;
    this.element.textContent = this.element.textContent === text ? `${text}\u00a0` : text;
  }

  event(frame) {
    if (frame.type === "ai:status" && frame.state === "started") this.say(t("The assistant is answering."));
    else if (frame.type === "ai:complete") this.complete(frame);
    else if (frame.type === "ai:error") this.say(errorText({ ...frame, message: frame.message || frame.error }));
    else if (frame.type === "ai:question") this.say(frame.text ?? "");
    else if (frame.type === "ai:proposal") this.say(proposed(frame));
    else if (frame.type === "ai:decision") this.say(decided(frame));
    else if (frame.type === "ai:tool_limit") this.say(t("The assistant asks whether to go on."));
  }

  /** Says how an answer ended, with the titles of what it mentions; nothing if there is other news by then. */
  async complete({ reason, fullText = "" }) {
    if (reason === "stopped") return this.say(t("The answer was stopped."));
    if (reason === "toolLimit" || reason === "waiting") return this.say(t("The assistant waits for you."));
    this.turn += 1;
    const { turn } = this;
    const shown = shownAnswer(fullText);
    const titles = this.mentions.fill(shown);
    if (titles) await Promise.race([titles, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    if (turn === this.turn) this.say(completion(spoken(shown)));
  }

  connection(state) {
    if (MUTED_STATES.has(state)) return;
    if (state !== "open" || this.wasAway) this.say(connectionText(state));
    this.wasAway = state !== "open";
  }
}

function proposed({ diff }) {
  return t("A change is proposed: {title}", { title: changeTitle(diff ?? []) });
}

function decided({ status }) {
  return t("The proposed change: {status}", { status: statusText(status) });
}

function completion(text) {
  if (!text) return t("The answer is complete.");
  const start = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return t("The answer is complete: {text}", { text: start });
}

/** The answer as it is shown. Markdown far beyond the limit is not read. */
function shownAnswer(markdown) {
  const shown = h("div");
  new Markdown(shown).show(markdown.slice(0, MOST_READ));
  return shown;
}

/** Its words, without what only eyes need and without mentions whose titles nobody knows. */
function spoken(shown) {
  for (const place of shown.querySelectorAll("[data-mention]")) {
    if (!hasTitle(place)) place.remove();
  }
  for (const head of shown.querySelectorAll(".code-head")) head.remove();
  for (const block of shown.querySelectorAll(BLOCKS)) {
    block.before(" ");
    block.after(" ");
  }
  return shown.textContent.replace(/\s+/g, " ").trim();
}
