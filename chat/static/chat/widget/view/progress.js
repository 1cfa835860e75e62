/* What an answer that is being written does at the moment; once nothing came for a while, with how long that has been. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { writtenSize } from "../toolcalls.js";

const TICK_MS = 1_000;
const QUIET_S = 10;

export class Progress {
  /** `changed` is called where it has something else to say, though nothing came. */
  constructor(changed) {
    this.changed = changed;
    this.message = null;
    this.since = 0;
    this.said = "";
    this.timer = null;
    this.element = h("div", { class: "progress" });
  }

  /** The line, or null where there is nothing to say. */
  line(message) {
    if (message !== this.message) {
      this.message = message;
      this.since = Date.now();
    }
    this.watch(message.status === "streaming");
    this.said = this.text();
    if (!this.said) return null;
    const queued = message.status === "queued";
    if (this.element.dataset.text !== this.said) {
      this.element.dataset.text = this.said;
      const sign = queued ? icon("clock") : h("span", { class: "dots" }, h("i"), h("i"), h("i"));
      this.element.replaceChildren(sign, h("span", { text: this.said }));
    }
    this.element.classList.toggle("queued", queued);
    return this.element;
  }

  watch(live) {
    if (live) this.timer ??= setInterval(() => this.tick(), TICK_MS);
    else this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  tick() {
    if (this.text() !== this.said && !this.changed()) this.stop();
  }

  text() {
    const does = progressText(this.message);
    const quiet = Math.floor((Date.now() - this.since) / 1_000);
    if (this.message.status !== "streaming" || quiet < QUIET_S) return does;
    return t("{what} Nothing new for {seconds} s.", { what: does || t("Writing…"), seconds: quiet });
  }
}

function progressText({ status, notice, content, toolCalls, reasoning }) {
  if (status === "queued") return t("Queued: begins after the answer before it");
  if (status !== "streaming") return "";
  const seconds = Math.ceil(notice?.delayS ?? 0);
  if (seconds > 0) return t("The model is busy. Trying again in {seconds} s.", { seconds });
  if (notice) return t("The model is busy. Trying again.");
  const written = toolCalls.find((call) => writtenSize(call));
  if (written) return writingText(written);
  if (toolCalls.some((call) => call.status === "running")) return t("Looking things up…");
  if (content) return "";
  return reasoning ? t("Reasoning…") : t("Thinking…");
}

function writingText(call) {
  const size = writtenSize(call);
  return call.name.startsWith("propose_") ? t("Writing the change… {size}", { size }) : t("Writing a call… {size}", { size });
}
