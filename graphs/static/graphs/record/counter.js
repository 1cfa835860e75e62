// How many characters are left, once there are few.

import { html } from "../dom.js";
import { t } from "../strings.js";

/** From this share of the limit on it is said. */
const NEAR = 0.9;

/** An element that says it of `control`; without a limit it says nothing. */
export function counter(control, limit) {
  const element = html("p", { class: "field-counter", role: "status", hidden: true });
  const show = () => {
    const length = [...control.value].length; // as the server counts
    element.hidden = !limit || length < limit * NEAR;
    element.classList.toggle("over", length > limit);
    if (element.hidden) return;
    const left = limit - length;
    element.textContent = left < 0
      ? t("{count} characters too many", { count: -left })
      : t("{count} characters left", { count: left });
  };
  control.addEventListener("input", show);
  show();
  return element;
}
