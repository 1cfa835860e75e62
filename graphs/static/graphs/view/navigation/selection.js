// The node that the reader chose: marked in the drawing, told in the details, and to those who do not see it.

import { t } from "../../strings.js";

export class Selection {
  item = null;
  #host;

  /** `host`: canvas, details, frame, model, position, and marked() to follow it. */
  constructor(host) {
    this.#host = host;
  }

  choose(item) {
    const { details, frame, model } = this.#host;
    this.item = item;
    this.mark();
    if (details.open) details.show(item, model);
    frame.announce(
      t(
        "{name}, {type}. {incoming} in, {outgoing} out.",
        { name: item.name, type: item.style.title, incoming: item.incoming.length, outgoing: item.outgoing.length },
      ),
    );
    document.dispatchEvent(new CustomEvent("countersign:node-selected", { detail: { key: item.key } }));
  }

  clear() {
    this.item = null;
    this.closeDetails();
    this.mark();
  }

  /** The same node in the graph as it is now, if it is still there. */
  follow(model) {
    this.item = model.items.get(this.item?.key) ?? null;
  }

  mark() {
    const { canvas } = this.#host;
    canvas.overlay.select(this.item);
    this.#host.marked();
    canvas.element.classList.toggle("has-selection", this.item !== null);
  }

  openDetails() {
    const { details, model } = this.#host;
    details.show(this.item, model);
    this.#host.position.cover();
  }

  /** What had the focus there leaves it to the drawing. */
  closeDetails() {
    const { canvas, details } = this.#host;
    if (!details.open) return;
    const focused = details.element.contains(details.element.getRootNode().activeElement);
    details.close();
    this.#host.position.cover();
    if (focused) canvas.element.focus({ preventScroll: true });
  }
}
