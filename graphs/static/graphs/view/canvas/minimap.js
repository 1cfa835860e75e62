// A small picture of the whole sheet with a frame around what is seen; shown only while something is out of view.

import { html } from "../../dom.js";
import { inside } from "../model/boxes.js";

const WIDTH = 168;
const HEIGHT = 108;
const PADDING = 8;

export class Minimap {
  #picture = html("canvas", { width: WIDTH * 2, height: HEIGHT * 2 });
  #frame = html("div", { class: "minimap-frame" });
  #viewport;
  #sheet = null;
  #scale = 1;
  #origin = { x: 0, y: 0 };

  constructor(viewport) {
    this.#viewport = viewport;
    this.element = html("div", { class: "minimap", "aria-hidden": "true", hidden: true }, this.#picture, this.#frame);
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    this.element.addEventListener(
      "pointermove",
      (event) => this.element.hasPointerCapture(event.pointerId) && this.#go(event),
    );
  }

  setSheet(sheet) {
    this.#sheet = sheet?.bounds ? sheet : null;
    this.redraw();
  }

  /** Paints the picture again, after a change of sheet or of colours. */
  redraw() {
    if (!this.#sheet) {
      this.element.hidden = true;
      return;
    }
    const { x, y, w, h } = this.#sheet.bounds;
    this.#scale = Math.min((WIDTH - 2 * PADDING) / Math.max(w, 1), (HEIGHT - 2 * PADDING) / Math.max(h, 1));
    this.#origin = {
      x: (WIDTH - w * this.#scale) / 2 - x * this.#scale, y: (HEIGHT - h * this.#scale) / 2 - y * this.#scale,
    };
    const context = this.#picture.getContext("2d");
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    const colours = getComputedStyle(this.element);
    this.#paint(context, this.#sheet.notes, colours.getPropertyValue("--note-map").trim() || "#fff3c4");
    this.#paint(context, this.#sheet.nodes, colours.getPropertyValue("--node-map").trim() || "#8a94a6");
    this.update();
  }

  update() {
    if (!this.#sheet) return;
    const seen = this.#viewport.seen;
    this.element.hidden = inside(this.#sheet.bounds, seen);
    const [left, top] = [seen.x * this.#scale + this.#origin.x, seen.y * this.#scale + this.#origin.y];
    this.#frame.style.transform = `translate(${left}px, ${top}px)`;
    this.#size(Math.max(6, seen.w * this.#scale), Math.max(6, seen.h * this.#scale));
  }

  /** Layout only when the zoom changed. */
  #size(width, height) {
    const size = `${width.toFixed(1)} ${height.toFixed(1)}`;
    if (this.#frame.dataset.size === size) return;
    this.#frame.dataset.size = size;
    this.#frame.style.width = `${width}px`;
    this.#frame.style.height = `${height}px`;
  }

  #paint(context, items, colour) {
    context.fillStyle = colour;
    for (const { box } of items) {
      context.fillRect(
        box.x * this.#scale + this.#origin.x,
        box.y * this.#scale + this.#origin.y,
        Math.max(1, box.w * this.#scale),
        Math.max(1, box.h * this.#scale),
      );
    }
  }

  #go(event) {
    const { left, top } = this.element.getBoundingClientRect();
    const x = (event.clientX - left - this.#origin.x) / this.#scale;
    const y = (event.clientY - top - this.#origin.y) / this.#scale;
    const { k, center } = this.#viewport;
    this.#viewport.set({ k, x: center.x - x * k, y: center.y - y * k });
  }
}
