// Mouse, touch and trackpad on the canvas: drag pans, wheel pans, ctrl+wheel and pinch zoom, tap picks.
// Shift, or a finger that rests, says that something is chosen beside what is chosen already.

const TAP_SLACK = 5;
const LINE = 18;
/** A finger that rests so long presses. */
const PRESS_MS = 500;

const distance = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);
const between = ([a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/**
 * Calls `picked(point, beside)` for a tap and `hovered(point | null)` for the mouse, and `pointed(point | null)` also while it drags; points are relative to `element`.
 * `grabbed(point, pointerType, beside)` may give a drag {move(point), end(point), cancel()} that takes the place of moving
 * the drawing; `doubled(point)` gives true where a double click is not to zoom; `pressed(point)` is for fingers and pens.
 */
export class Gestures {
  #element;
  #viewport;
  #pointers = new Map();
  #start = null;
  #dragged = false;
  #drag = null;
  #pressing = 0;
  #callbacks;

  constructor(element, viewport, callbacks) {
    this.#element = element;
    this.#viewport = viewport;
    this.#callbacks = callbacks;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    for (const type of ["pointerup", "pointercancel"]) element.addEventListener(type, (event) => this.#up(event));
    element.addEventListener("pointerleave", () => {
      callbacks.hovered(null);
      callbacks.pointed(null);
    });
    element.addEventListener("contextmenu", (event) => event.pointerType !== "mouse" && event.preventDefault());
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("dblclick", (event) => {
      const point = this.#point(event);
      if (!callbacks.doubled(point)) viewport.zoomBy(event.shiftKey ? 1 / 1.6 : 1.6, point);
    });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#drag || !this.#dragged) return;
      event.stopImmediatePropagation();
      this.#letGo();
      this.#pointers.clear();
      this.#element.classList.remove("dragging");
    });
  }

  #point(event) {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #down(event) {
    if (event.pointerType === "mouse" && event.button > 1) return;
    this.#pointers.set(event.pointerId, this.#point(event));
    if (this.#pointers.size === 1) {
      this.#start = this.#point(event);
      this.#dragged = false;
      this.#drag = event.button === 0 ? this.#callbacks.grabbed(this.#start, event.pointerType, event.shiftKey) : null;
      if (event.pointerType !== "mouse") this.#pressing = setTimeout(() => this.#press(), PRESS_MS);
    } else {
      clearTimeout(this.#pressing);
      this.#dragged = true;
      this.#letGo();
    }
  }

  /** What is there to be dragged waits for that; what was chosen is not tapped as well when the finger is lifted. */
  #press() {
    if (!this.#drag && this.#callbacks.pressed(this.#start)) this.#dragged = true;
  }

  #letGo() {
    this.#drag?.cancel();
    this.#drag = null;
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    const point = this.#point(event);
    if (event.pointerType === "mouse") this.#callbacks.pointed(point);
    if (!before) {
      if (event.pointerType === "mouse") this.#callbacks.hovered(point);
      return;
    }
    if (!this.#dragged && Math.hypot(point.x - this.#start.x, point.y - this.#start.y) < TAP_SLACK) return;
    if (!this.#dragged) this.#beginDrag(event);
    if (this.#drag) this.#drag.move(point);
    else if (this.#pointers.size >= 2) this.#pinch(event, point);
    else this.#viewport.panBy(point.x - before.x, point.y - before.y);
    this.#pointers.set(event.pointerId, point);
  }

  #beginDrag(event) {
    clearTimeout(this.#pressing);
    this.#dragged = true;
    this.#element.setPointerCapture(event.pointerId);
    this.#element.classList.add("dragging");
    this.#callbacks.hovered(null);
  }

  #pinch(event, point) {
    const before = [...this.#pointers.values()].slice(0, 2);
    this.#pointers.set(event.pointerId, point);
    const after = [...this.#pointers.values()].slice(0, 2);
    const [from, to] = [between(before), between(after)];
    this.#viewport.panBy(to.x - from.x, to.y - from.y);
    if (distance(before) > 0) this.#viewport.zoomBy(distance(after) / distance(before), to);
  }

  #up(event) {
    const known = this.#pointers.delete(event.pointerId);
    clearTimeout(this.#pressing);
    this.#element.classList.remove("dragging");
    if (known && this.#drag && this.#dragged && event.type === "pointerup") {
      this.#drag.end(this.#point(event));
      this.#drag = null;
    }
    this.#letGo();
    if (known && !this.#dragged && event.type === "pointerup" && event.button === 0) this.#callbacks.picked(
      this.#point(event),
      event.shiftKey,
    );
  }

  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? this.#element.clientHeight : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) this.#viewport.zoomBy(
      Math.exp(-Math.max(-60, Math.min(60, dy)) * 0.008),
      this.#point(event),
    );
    else if (event.shiftKey && !dx) this.#viewport.panBy(-dy, 0);
    else this.#viewport.panBy(-dx, -dy);
  }
}
