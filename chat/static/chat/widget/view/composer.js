/* Where a message is written: grows to 120 px, keeps its draft, sends on Enter, stops a running answer. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";
import { icon } from "../icons.js";
import { numberText } from "../words.js";
import { iconButton } from "./buttons.js";

const MAX_HEIGHT_PX = 120;
const MAX_CHARACTERS = 32_000;
const COUNT_FROM = 28_000;

export class Composer {
  /** `actions` are {send(text), stop(), draft(text)}; `below` is shown under the field. */
  constructor(actions, below) {
    this.actions = actions;
    this.running = false;
    this.stopping = false;
    this.off = false;
    this.field = this.textarea();
    this.count = h("span", { class: "count", id: "composer-count" });
    this.stop = iconButton("stop", t("Stop (Esc)"), "round stop-button", () => actions.stop());
    this.send = iconButton("send", t("Send (Enter). New line: Shift+Enter"), "round send-button", () => this.submit());
    this.notice = h("div", { class: "composer-notice", id: "composer-notice", role: "alert" });
    const box = h("div", { class: "composer-box" }, this.field, this.count, this.stop, this.send);
    box.addEventListener("click", ({ target }) => target === box && this.field.focus());
    this.element = h("div", { class: "composer" }, this.notice, box, below);
    this.refresh();
  }

  textarea() {
    return h("textarea", {
      class: "composer-field",
      rows: 1,
      dir: "auto",
      enterKeyHint: "send",
      "aria-label": t("Message"),
      "aria-describedby": "composer-notice composer-count",
      on: { input: () => this.edited(), keydown: (event) => this.keyed(event) },
    });
  }

  get text() {
    return this.field.value;
  }

  set text(value) {
    this.field.value = value;
    this.fit();
    this.refresh();
  }

  /** At once, or as soon as something can be sent. */
  focus() {
    this.hadFocus = true;
    this.field.focus({ preventScroll: true });
  }

  /** `off` while nothing can be sent: the draft stays, and the place of the cursor too. */
  update({ running, stopping, off, placeholder }) {
    this.field.placeholder = placeholder;
    if (off !== this.off) this.turn(off);
    this.running = running;
    this.stopping = stopping;
    this.refresh();
  }

  turn(off) {
    const focused = this.field.getRootNode().activeElement === this.field;
    this.hadFocus = off ? focused : this.hadFocus;
    this.off = off;
    this.field.disabled = off;
    const elsewhere = ![document.body, this.field.getRootNode().host].includes(document.activeElement);
    if (!off && this.hadFocus && !elsewhere) this.focus();
  }

  /** Says why something was refused and gives the text back; what was written since stays below it. */
  refuse(text, message) {
    this.notify(message);
    if (!text) return;
    this.text = this.text ? `${text}\n\n${this.text}` : text;
    this.actions.draft(this.text);
    this.focus();
  }

  notify(message) {
    const close = iconButton("close", t("Dismiss"), "dismiss", () => this.notify(""));
    this.notice.replaceChildren(...(message ? [icon("warning"), h("p", { text: message }), close] : []));
  }

  keyed(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.running) {
      event.preventDefault();
      event.stopPropagation();
      this.actions.stop();
    }
  }

  submit() {
    const text = this.text.trim();
    if (!text || this.off) return;
    if (characters(text) > MAX_CHARACTERS) {
      this.notify(t("A message can have at most {count} characters.", { count: MAX_CHARACTERS }));
      return;
    }
    this.notify("");
    this.text = "";
    this.actions.send(text);
    this.focus();
  }

  edited() {
    this.fit();
    this.refresh();
    this.actions.draft(this.text);
  }

  fit() {
    this.field.style.height = "auto";
    const height = Math.min(MAX_HEIGHT_PX, this.field.scrollHeight);
    this.field.style.height = height > 0 ? `${height}px` : "";
    this.field.style.overflowY = this.field.scrollHeight > MAX_HEIGHT_PX ? "auto" : "hidden";
  }

  refresh() {
    const empty = !this.text.trim();
    const length = this.text.length > COUNT_FROM / 2 ? characters(this.text) : this.text.length;
    this.count.textContent = length >= COUNT_FROM ? `${numberText(length)} / ${numberText(MAX_CHARACTERS)}` : "";
    this.count.classList.toggle("over", length > MAX_CHARACTERS);
    this.stop.hidden = !this.running;
    this.stop.disabled = this.off || this.stopping;
    this.send.hidden = this.running && empty;
    this.send.disabled = empty || this.off || length > MAX_CHARACTERS;
  }
}

/** As the server counts: code points, not UTF-16 units. */
function characters(text) {
  return [...text].length;
}
