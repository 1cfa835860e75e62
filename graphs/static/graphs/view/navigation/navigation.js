// How the reader gets around in a graph: by pointer, by keys, or because the page, the chat or a list asks for a node.

import { t } from "../../strings.js";
import { nearestTo, neighbourTowards, directionOf, isArrow } from "./directions.js";

const STEP = 80;
const ZOOM = 1.25;

export class Navigation {
  #host;
  /** The key of a node that is to be chosen as soon as there is a graph. */
  #wanted = null;

  /** `host`: canvas, details, find, frame, ghosts, position, selection, model, sheet, editor (or null), showSheet(key). */
  constructor(host) {
    this.#host = host;
  }

  /** Goes on with `then(item)`: at once, or when nothing that was typed into the details is lost by it. */
  unlessTyping(item, then) {
    const { editor, selection } = this.#host;
    const go = () => then(item && (this.#host.model.items.get(item.key) ?? item));
    if (!editor || (item && item.key === selection.item?.key)) go();
    else editor.leaving(go);
  }

  /** Shows an item, when nothing that was typed is lost by it. */
  visit(item, how) {
    this.unlessTyping(item, (now) => this.goTo(now, how));
  }

  closeDetails() {
    this.unlessTyping(null, () => this.#host.selection.closeDetails());
  }

  /** Asked for by the page, the chat or the inbox. */
  showProposal(id) {
    this.#host.position.bringIntoView();
    this.#host.ghosts.choose(id);
  }

  frameGhosts(key, bounds) {
    const { position, sheet } = this.#host;
    if (key === sheet?.key) position.frame(bounds);
    else this.unlessTyping(null, () => {
      this.#host.showSheet(key);
      position.frame(bounds);
    });
  }

  /** The page asks for a node: brings the drawing before the reader's eyes, wherever the page is scrolled to. */
  showNode(key) {
    this.#host.position.bringIntoView();
    this.#host.details.lower();
    this.#selectByKey(key);
  }

  /** There is a graph: what was asked for before is shown. */
  arrived() {
    if (this.#wanted) this.#selectByKey(this.#wanted);
  }

  #selectByKey(key) {
    const { frame, model } = this.#host;
    this.#wanted = model ? null : key;
    if (!model) return;
    const item = model.items.get(key);
    if (item) this.visit(item);
    else frame.toast(t("There is no node “{key}” in this graph.", { key }));
  }

  /** Shows an item wherever it is: its sheet, in the middle, with its details. */
  goTo(item, { open = true } = {}) {
    const { canvas, selection, sheet } = this.#host;
    if (item.node.sheet !== sheet?.key) this.#host.showSheet(item.node.sheet);
    selection.choose(item);
    if (open) selection.openDetails();
    canvas.viewport.centerOn(item.box);
  }

  pick(item, point, beside) {
    const { canvas, editor, ghosts } = this.#host;
    canvas.element.focus({ preventScroll: true });
    if (editor && (beside || editor.selecting)) {
      if (item) editor.pickBeside(item);
      return;
    }
    editor?.ungroup();
    const proposed = ghosts.pick(point);
    if (!proposed) ghosts.forget();
    const line = !proposed && editor?.pickLine(point, item);
    if (!line) this.unlessTyping(item, (now) => this.#picked(now));
  }

  #picked(item) {
    const { canvas, selection } = this.#host;
    if (!item) {
      selection.clear();
      return;
    }
    selection.choose(item);
    selection.openDetails();
    canvas.viewport.reveal(item.box);
  }

  hover(item, point) {
    const { canvas, editor, frame, ghosts } = this.#host;
    const proposed = point && ghosts.tip(point);
    editor?.showConnectors(item);
    canvas.element.classList.toggle("over-node", Boolean(item || proposed));
    if (proposed) frame.ghostTip(proposed, point);
    else frame.tip(item && !item.note && canvas.level !== "near" ? item : null, point);
  }

  // Keyboard

  keyActions() {
    const { canvas: { viewport }, find, frame, ghosts } = this.#host;
    return {
      pan: (dx, dy) => viewport.moveTo({ x: viewport.x + dx, y: viewport.y + dy, k: viewport.k }),
      move: (arrow) => this.#moveSelection(arrow),
      open: () => this.#enter(),
      close: () => this.#leave(),
      find: () => find.focus(),
      zoom: (factor) => viewport.zoomSmoothly(factor),
      fit: () => this.#host.position.fit(),
      proposals: () => ghosts.panel.enter(),
      help: () => frame.toggleHelp(),
    };
  }

  #leave() {
    const { details, editor, ghosts, selection } = this.#host;
    if (editor?.ungroup()) return;
    if (details.open) this.closeDetails();
    else {
      selection.clear();
      ghosts.forget();
    }
  }

  #moveSelection(arrow) {
    const { canvas: { viewport }, selection, sheet } = this.#host;
    const items = sheet?.nodes.length ? sheet.nodes : (sheet?.notes ?? []);
    const { x, y, w, h } = viewport.seen;
    const { item } = selection;
    const next = item ? neighbourTowards(arrow, item, items) : nearestTo(
      { x: x + w / 2, y: y + h / 2 },
      items,
    );
    if (!next) return;
    this.unlessTyping(next, (now) => {
      selection.choose(now);
      viewport.reveal(now.box);
    });
  }

  #enter() {
    const { canvas, details, selection } = this.#host;
    if (!selection.item) {
      this.#moveSelection("ArrowRight");
      return;
    }
    selection.openDetails();
    details.element.focus({ preventScroll: true });
    canvas.viewport.reveal(selection.item.box);
  }
}

/** What a key does: calls one of `actions` and returns true, or returns false for keys of others. */
function perform(event, actions) {
  const { key } = event;
  if (isArrow(key)) {
    const [dx, dy] = directionOf(key);
    if (event.shiftKey) actions.pan(-dx * STEP, -dy * STEP);
    else actions.move(key);
  } else if (key === "Enter" && event.shiftKey) return false;
  else if (key === "Enter" || key === " ") actions.open();
  else if (key === "Escape") actions.close();
  else if (key === "/") actions.find();
  else if (key === "+" || key === "=") actions.zoom(ZOOM);
  else if (key === "-" || key === "_") actions.zoom(1 / ZOOM);
  else if (key === "0" || key.toLowerCase() === "f") actions.fit();
  else if (key.toLowerCase() === "p") actions.proposals();
  else if (key === "?") actions.help();
  else return false;
  return true;
}

/** The keys of the canvas; combinations with Ctrl, Alt and the system key belong to the browser.
 *
 * `actions`: pan(dx, dy), move(arrow), open(), close(), find(), zoom(factor), fit(), proposals(), help().
 */
export function listenToKeys(element, actions) {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (perform(event, actions)) event.preventDefault();
  });
}
