// Where in its sheet the reader looks: at everything at first, then where they looked last, beside what covers the drawing.

import { reducedMotion } from "../canvas/viewport.js";
import { union } from "../model/boxes.js";
import { rememberedView, rememberView } from "./remembered.js";

const REMEMBER_MS = 300;
const PANEL_BESIDE_FROM = 700;
const PANEL_SHARE = 0.58;
const LIST_WIDTH = 352;

export class Position {
  #host;
  #viewport;
  /** The view that shows everything, as long as the reader has not moved on from it. */
  #fitted = null;
  #remembering = 0;

  /** `host`: element (whose `src` names what is remembered), canvas, frame, minimap, details, ghosts, sheet. */
  constructor(host) {
    this.#host = host;
    this.#viewport = host.canvas.viewport;
  }

  /** As the reader left this sheet, or all of it. */
  restore() {
    const { element, sheet } = this.#host;
    const view = rememberedView(element.src, sheet.key);
    if (view && this.#viewport.width && this.#viewport.allows(view, sheet.bounds)) this.#viewport.set(view);
    else this.fit({ smoothly: false });
  }

  fit({ smoothly = true } = {}) {
    const { sheet, ghosts } = this.#host;
    this.#fitted = this.#viewport.fit(union(sheet?.bounds, ghosts.bounds), smoothly);
  }

  /** Shows a part of the sheet, with nothing before it. */
  frame(bounds) {
    const { details, ghosts } = this.#host;
    details.lower();
    if (!this.#beside) ghosts.panel.close();
    this.cover();
    this.#viewport.fit(bounds);
  }

  resized() {
    const { canvas, minimap, sheet } = this.#host;
    const first = this.#viewport.width === 0;
    this.cover();
    canvas.resize();
    if (first && sheet) this.restore();
    else if (this.#viewport.isAt(this.#fitted)) this.fit({ smoothly: false });
    minimap.update();
  }

  moved() {
    const { element, frame, minimap, sheet } = this.#host;
    frame.showZoom(this.#viewport.k);
    frame.tip(null);
    minimap.update();
    this.stop();
    const remember = () => rememberView(element.src, this.#host.sheet.key, this.#viewport.state);
    if (sheet) this.#remembering = setTimeout(remember, REMEMBER_MS);
  }

  stop() {
    clearTimeout(this.#remembering);
  }

  /** Tells the viewport what the details and the list of proposals cover. */
  cover() {
    const { canvas, details, frame, ghosts } = this.#host;
    const { open } = details;
    this.#viewport.covered = {
      left: this.#beside && ghosts.panel.open ? LIST_WIDTH : 0,
      right: open && this.#beside ? details.element.offsetWidth : 0,
      bottom: open && !this.#beside ? canvas.element.clientHeight * PANEL_SHARE : 0,
    };
    frame.root.classList.toggle("with-details", open);
  }

  /** Brings the drawing before the reader's eyes, wherever the page is scrolled to. */
  bringIntoView() {
    const { element, canvas } = this.#host;
    if (canvas.element.clientWidth !== this.#viewport.width) this.resized();
    const { top, bottom } = element.getBoundingClientRect();
    if (top >= 0 && bottom <= innerHeight) return;
    element.scrollIntoView({ block: "start", behavior: reducedMotion() ? "instant" : "smooth" });
  }

  /** Whether panels have room beside the drawing. */
  get #beside() {
    return this.#host.canvas.element.clientWidth >= PANEL_BESIDE_FROM;
  }
}
