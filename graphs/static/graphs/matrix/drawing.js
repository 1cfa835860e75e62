// The drawing in the page: one stop of the Tab key, arrows from mark to mark, and marks that glide to new places.

const GLIDE_MS = 300;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The middle of a mark in pixels of the page. */
function middle(mark) {
  const { left, top, width, height } = mark.querySelector(".symbol").getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

export class MatrixDrawing {
  /** `box` is the element that has the drawing, `hint` the one that tells what the mark is that is looked at. */
  constructor(box, hint) {
    this.box = box;
    this.hint = hint;
    this.help = hint.textContent;
    box.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["focusin", "mouseover"]) box.addEventListener(type, ({ target }) => this.#look(target));
    for (const type of ["focusout", "mouseleave"]) box.addEventListener(type, () => this.tell(this.help));
  }

  get marks() {
    return [...this.box.querySelectorAll("a.mark")];
  }

  tell(text) {
    this.hint.textContent = text;
  }

  /** Shows the text of an SVG document; what has the same key glides from where it was. */
  take(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (parsed.localName !== "svg") return;
    const before = new Map(this.marks.map((mark) => [mark.dataset.key, middle(mark)]));
    const key = document.activeElement?.closest?.("a.mark")?.dataset.key ?? "";
    const drawn = document.importNode(parsed, true);
    this.box.replaceChildren(drawn);
    const focused = this.marks.find((mark) => mark.dataset.key === key);
    this.#stop(focused ?? this.marks[0]);
    focused?.focus();
    if (before.size && !STILL.matches) this.#glide(drawn, before);
  }

  #glide(drawn, before) {
    const scale = drawn.viewBox.baseVal.width / drawn.getBoundingClientRect().width;
    for (const mark of this.marks) {
      const was = before.get(mark.dataset.key);
      if (!was) continue;
      const { x, y } = middle(mark);
      const from = `translate(${(was.x - x) * scale}px, ${(was.y - y) * scale}px)`;
      mark.animate([{ transform: from }, { transform: "none" }], { duration: GLIDE_MS, easing: "ease-out" });
    }
    for (const line of drawn.querySelectorAll("[data-leader]")) line.animate([{ opacity: 0 }, {}], GLIDE_MS);
  }

  /** The one mark that the Tab key stops at. */
  #stop(mark) {
    for (const each of this.marks) each.setAttribute("tabindex", each === mark ? "0" : "-1");
  }

  #look(target) {
    const mark = target.closest("a.mark");
    if (mark) this.tell(mark.getAttribute("aria-label"));
  }

  #key(event) {
    const mark = event.target.closest("a.mark");
    if (!mark || event.ctrlKey || event.altKey || event.metaKey) return;
    const next = event.key in DIRECTIONS ? this.#nearest(mark, DIRECTIONS[event.key]) : this.#end(event.key);
    if (!next) return;
    event.preventDefault();
    this.#stop(next);
    next.focus();
  }

  #end(key) {
    if (key === "Home") return this.marks[0];
    return key === "End" ? this.marks.at(-1) : null;
  }

  /** The nearest mark in a direction; what is far to the side counts as twice as far. */
  #nearest(mark, [right, down]) {
    const from = middle(mark);
    let best = null;
    let least = Infinity;
    for (const each of this.marks) {
      const { x, y } = middle(each);
      const along = (x - from.x) * right + (y - from.y) * down;
      const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
      if (each === mark || along <= 0.5 || along + 2 * aside >= least) continue;
      best = each;
      least = along + 2 * aside;
    }
    return best;
  }
}
