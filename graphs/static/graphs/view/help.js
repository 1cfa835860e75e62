// The list of keys and gestures, opened by the ? button.

import { html } from "../dom.js";
import { t } from "../strings.js";

function rows() {
  return [
    [["←", "→", "↑", "↓"], t("Select the next node in that direction")],
    [[t("Shift"), "←"], t("Move the drawing")],
    [[t("Enter")], t("Open the details")],
    [[t("Esc")], t("Close the details, then clear the selection")],
    [["/"], t("Find a node")],
    [["+", "−"], t("Zoom in and out")],
    [["F", "0"], t("Show everything")],
    [["P"], t("List the proposed changes")],
    [["Ctrl"], t("With the wheel: zoom. The wheel alone moves the drawing.")],
  ];
}

/** `more`: further rows [[keys], meaning]. */
export function helpCard(more = []) {
  const list = [...rows(), ...more].flatMap(
    ([keys, meaning]) => [
      html("dt", {}, ...keys.flatMap((key) => [html("kbd", {}, key), " "])),
      html("dd", {}, meaning),
    ],
  );
  return html(
    "div",
    { class: "help-card", role: "dialog", "aria-label": t("Keyboard"), hidden: true },
    html("h2", {}, t("Keyboard")),
    html("dl", {}, ...list),
  );
}
