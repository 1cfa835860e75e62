// A field for code: a textarea over its own highlighted text, with line numbers. Tab indents; Esc, then Tab moves on.

import { html } from "../../dom.js";
import { t } from "../../strings.js";
import { highlighted } from "../highlight.js";

const INDENT = "  ";
/** Longer code is edited without colours: highlighting it at every key would be felt. */
const LONGEST_COLOURED = 20_000;

export class CodeField {
  input;
  #colours = html("code", { "aria-hidden": "true" });
  #numbers = html("div", { class: "code-numbers", "aria-hidden": "true" });
  #language;
  #leaving = false;

  /** `language(code)` names it for the colours; `changed()` is called as one types. */
  constructor({ label, language, changed }) {
    this.#language = language;
    this.input = html("textarea", {
      "aria-label": label, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      title: t("Tab indents. Esc, then Tab moves on."),
    });
    this.input.addEventListener("input", () => {
      this.#paint();
      changed();
    });
    this.input.addEventListener("keydown", (event) => this.#keydown(event));
    const text = html("div", { class: "code-text" }, html("pre", { "aria-hidden": "true" }, this.#colours), this.input);
    this.element = html("div", { class: "code-field" }, this.#numbers, text);
  }

  get value() {
    return this.input.value;
  }

  set value(text) {
    this.input.value = text;
    this.#paint();
  }

  #paint() {
    const { value } = this.input;
    const lines = value.split("\n").length;
    if (this.#numbers.childElementCount !== lines) this.#number(lines);
    const coloured = value.length <= LONGEST_COLOURED;
    this.element.classList.toggle("coloured", coloured);
    this.#colours.replaceChildren(...(coloured ? highlighted(value, this.#language(value)) : [value]), "\n");
  }

  /** Only what came or went: code may have ten thousand lines. */
  #number(lines) {
    const there = this.#numbers.childElementCount;
    for (let number = there; number > lines; number -= 1) this.#numbers.lastChild.remove();
    const fresh = document.createDocumentFragment();
    for (let number = there + 1; number <= lines; number += 1) fresh.append(html("span", {}, String(number)));
    this.#numbers.append(fresh);
  }

  #keydown(event) {
    if (event.key === "Escape" && !this.#leaving) {
      this.#leaving = true;
      event.stopPropagation();
      return;
    }
    const leaving = this.#leaving;
    this.#leaving = false;
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key === "Tab" && plain && !leaving) {
      event.preventDefault();
      if (event.shiftKey) this.#overLines((line) => line.replace(/^( {1,2}|\t)/, ""));
      else this.#indent();
    } else if (event.key === "Enter" && plain && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#type(`\n${/^[ \t]*/.exec(this.#line())[0]}`);
    }
  }

  /** The line of the caret, up to the caret. */
  #line() {
    const before = this.input.value.slice(0, this.input.selectionStart);
    return before.slice(before.lastIndexOf("\n") + 1);
  }

  /** Through the browser's own typing, so that its undo knows of it. */
  #type(text) {
    if (document.execCommand("insertText", false, text)) return;
    this.input.setRangeText(text, this.input.selectionStart, this.input.selectionEnd, "end");
    this.input.dispatchEvent(new Event("input"));
  }

  #indent() {
    const { selectionStart, selectionEnd, value } = this.input;
    if (!value.slice(selectionStart, selectionEnd).includes("\n")) this.#type(INDENT);
    else this.#overLines((line) => INDENT + line);
  }

  #overLines(change) {
    const { selectionStart, selectionEnd, value } = this.input;
    const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const text = value.slice(from, selectionEnd).split("\n").map(change).join("\n");
    this.input.setSelectionRange(from, selectionEnd);
    if (text) this.#type(text);
    this.input.setSelectionRange(from, from + text.length);
  }
}
