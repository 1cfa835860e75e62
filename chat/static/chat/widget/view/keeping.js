/* Two switches on a message: always keep it for the model, or leave it out of what the model is sent. */

import { t } from "../../../graphs/strings.js";
import { h, arrange } from "../elements.js";
import { iconButton } from "./buttons.js";

const SETTLED = new Set(["complete", "stopped", "failed"]);

export class Keeping {
  /** `keep(id, inPrompt)` asks the server; `inPrompt` is "auto", "pinned" or "left_out". Without it nothing is offered. */
  constructor(keep) {
    this.message = null;
    this.offered = Boolean(keep);
    this.pin = iconButton("pin", "", "keep", () => this.choose("pinned", keep));
    this.leaveOut = iconButton("hidden", "", "keep", () => this.choose("left_out", keep));
    this.state = h("span", { class: "kept" });
    this.element = h("span", { class: "keeping", role: "group", "aria-label": t("For the model") });
    arrange(this.element, [this.pin, this.leaveOut, this.state]);
  }

  choose(wanted, keep) {
    const { id, inPrompt } = this.message;
    keep(id, inPrompt === wanted ? "auto" : wanted);
  }

  /** False where there is nothing to choose. */
  update(message) {
    this.message = message;
    const { inPrompt } = message;
    set(this.pin, inPrompt === "pinned", t("Always keep for the model"), t("Kept for the model: no longer keep it"));
    set(this.leaveOut, inPrompt === "left_out", t("Leave out for the model"), t("Left out for the model: send it again"));
    this.state.textContent = { pinned: t("Kept"), left_out: t("Left out") }[inPrompt] ?? "";
    this.element.classList.toggle("chosen", inPrompt !== "auto");
    return this.offered && SETTLED.has(message.status) && !message.id.startsWith("local-");
  }
}

function set(button, pressed, label, pressedLabel) {
  button.setAttribute("aria-pressed", String(pressed));
  button.setAttribute("aria-label", pressed ? pressedLabel : label);
  button.title = pressed ? pressedLabel : label;
}
