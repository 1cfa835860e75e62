// Everything around the drawing: the bar above it, the buttons on it, messages, tips and what screen readers hear.

import { html, iconButton } from "../dom.js";
import { ICONS } from "../icons.js";
import { t } from "../strings.js";

const ZOOM = 1.3;
const TOAST_MS = 5000;

const nodesCount = (count) => (count === 1 ? t("1 node") : t("{count} nodes", { count }));

export class Frame {
  #percent;
  #message = null;
  #help = helpCard();
  #tip = html("div", { class: "tip", hidden: true });
  #toast = html("div", { class: "toast", role: "status", hidden: true });
  #live = html("div", { class: "visually-hidden", "aria-live": "polite" });
  /** Where a sheet is shown. */
  panel;
  #bar;
  #controls;
  #canvas;
  #toastTimer = 0;

  /** `parts`: {tabs, find, canvas, minimap, waiting, details}; `actions`: zoom(factor), actualSize(), fit(). */
  constructor({ tabs, find, canvas, minimap, waiting, details }, actions) {
    this.#canvas = canvas.element;
    this.#canvas.id = "canvas";
    this.#canvas.setAttribute("aria-roledescription", t("graph drawing"));
    this.#canvas.setAttribute("aria-describedby", "instructions");
    this.#percent = html(
      "button",
      { type: "button", class: "percent", title: t("Actual size"), onclick: actions.actualSize },
    );
    const zoom = html(
      "div",
      { class: "zoom", role: "group", "aria-label": t("Zoom") },
      iconButton(ICONS.minus, t("Zoom out"), () => actions.zoom(1 / ZOOM)),
      this.#percent,
      iconButton(ICONS.plus, t("Zoom in"), () => actions.zoom(ZOOM)),
      iconButton(ICONS.fit, t("Show everything"), actions.fit),
      iconButton(ICONS.help, t("Keyboard"), () => this.toggleHelp()),
    );
    this.#controls = html("div", { class: "controls", hidden: true }, minimap.element, zoom);
    const instructions = html(
      "p",
      { class: "visually-hidden", id: "instructions" },
      t("Arrow keys select nodes, Enter opens the details, slash finds a node."),
    );
    this.panel = html(
      "div",
      { class: "surface", id: "sheet" },
      this.#canvas,
      this.#tip,
      waiting.element,
      this.#controls,
      this.#help,
      details.element,
      this.#toast,
      instructions,
      this.#live,
    );
    this.#bar = html(
      "div",
      { class: "bar", hidden: true },
      tabs.element,
      html("span", { class: "space" }),
      find.element,
    );
    this.root = html("div", { class: "root" }, this.#bar, this.panel);
    this.#help.addEventListener("keydown", (event) => event.key === "Escape" && this.toggleHelp());
  }

  /** Shows the bar and the buttons of a graph; without tabs the find box floats over the drawing. */
  showBar(withTabs) {
    this.#bar.hidden = false;
    this.#controls.hidden = false;
    this.root.classList.toggle("one-sheet", !withTabs);
  }

  showZoom(k) {
    const percent = k >= 0.1 ? Math.round(k * 100) : (k * 100).toPrecision(2);
    if (this.#percent.dataset.percent === String(percent)) return;
    this.#percent.dataset.percent = String(percent);
    this.#percent.textContent = t("{percent} %", { percent });
    this.#percent.setAttribute("aria-label", t("Zoom {percent} %, back to actual size", { percent }));
  }

  /** Puts `element` in place of the drawing, or takes the message away (null). */
  showMessage(element) {
    this.#message?.remove();
    this.#message = element;
    if (element) this.panel.append(element);
  }

  /** What a screen reader hears of the canvas. */
  describe(model, sheet) {
    const count = nodesCount(sheet ? sheet.nodes.length + sheet.notes.length : 0);
    this.#canvas.setAttribute(
      "aria-label",
      t("Drawing of {graph}, sheet {sheet}, {count}", { graph: model.name, sheet: sheet?.name ?? "", count }),
    );
  }

  announce(text) {
    this.#live.textContent = text;
  }

  toast(text) {
    clearTimeout(this.#toastTimer);
    this.#toast.textContent = text;
    this.#toast.hidden = false;
    this.#toastTimer = setTimeout(() => (this.#toast.hidden = true), TOAST_MS);
  }

  /** The name of an item beside the mouse, or nothing. */
  tip(item, point) {
    this.#showTip(item && [item.name, html("span", {}, item.style.title)], point, "tip");
  }

  /** What proposals would do there, beside the mouse. */
  ghostTip(elements, point) {
    this.#showTip(elements, point, "tip marks");
  }

  #showTip(content, point, name) {
    if (this.#tip.hidden && !content) return;
    this.#tip.hidden = !content;
    if (!content) return;
    this.#tip.className = name;
    this.#tip.replaceChildren(...content);
    const across = this.panel.clientWidth - this.#tip.offsetWidth - 8;
    const down = this.panel.clientHeight - this.#tip.offsetHeight - 8;
    const [x, y] = [Math.min(point.x + 14, across), Math.min(point.y + 16, down)];
    this.#tip.style.transform = `translate(${Math.max(8, x)}px, ${Math.max(8, y)}px)`;
  }

  /** Further rows for the list of keys. */
  addKeys(rows) {
    this.#help.replaceChildren(...helpCard(rows).childNodes);
  }

  toggleHelp() {
    this.#help.hidden = !this.#help.hidden;
  }
}

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

/** The list of keys and gestures, opened by the ? button; `more`: further rows [[keys], meaning]. */
function helpCard(more = []) {
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
