/* <matrix-view>: the matrix of a folder on its page. It puts the drawing into the page in place of the picture, so that its
 * marks can be hovered, clicked and reached by keys, and moves them while an editor tries other weights.
 *
 * What it needs to know stands in its `data-` attributes, the configuration of the folder in #matrix-config, the words of
 * statuses and quadrants in #matrix-words.
 */

import { MatrixDrawing } from "./matrix/drawing.js";
import { MatrixTable } from "./matrix/table.js";
import { MatrixWeights } from "./matrix/weights.js";
import { Api } from "./requests.js";
import { t } from "./strings.js";

const NARROW = matchMedia("(max-width: 640px)");
/** Several changes that come together are drawn once. */
const GATHER_MS = 200;

class MatrixView extends HTMLElement {
  connectedCallback() {
    const { folder, workspace } = this.dataset;
    this.api = new Api("/api/v1/", workspace);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const box = this.querySelector("[data-drawing]");
    this.drawing = box && new MatrixDrawing(box, this.querySelector("[data-hint]"));
    this.table = new MatrixTable(this);
    this.weights = this.querySelector("[data-buttons]") ? new MatrixWeights(this) : null;
    this.listen("object-changed", folder, () => this.news());
    this.listen("held-changed", folder, () => this.drawSoon());
    NARROW.addEventListener("change", () => this.draw(), { signal });
    // <object-live> has put another table in the place of the one that stood here.
    this.observer = new MutationObserver(() => this.drawSoon());
    this.observer.observe(this, { childList: true });
    this.draw();
  }

  disconnectedCallback() {
    this.listeners.abort();
    this.observer.disconnect();
    clearTimeout(this.timer);
  }

  /** Calls `heard()` for what the page says of the folder. */
  listen(type, folder, heard) {
    const own = ({ detail: { object } }) => object?.type === "folder" && object.id === folder && heard();
    document.addEventListener(`countersign:${type}`, own, { signal: this.listeners.signal });
  }


  get tried() {
    return this.weights?.tried ?? false;
  }

  get size() {
    return NARROW.matches ? "narrow" : "wide";
  }

  drawSoon() {
    this.timer ||= setTimeout(() => this.draw(), GATHER_MS);
  }

  /** The drawing of what is saved, unless weights are tried just now. */
  async draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.weights?.tried) return void this.weights.preview();
    if (!this.drawing) return;
    const { folder, workspace } = this.dataset;
    const address = `/api/v1/folders/${folder}/matrix.svg?size=${this.size}&workspace=${encodeURIComponent(workspace)}`;
    const answer = await fetch(address, { credentials: "same-origin", cache: "no-cache" }).catch(() => null);
    if (answer?.ok) this.drawing.take(await answer.text());
    else this.drawing.tell(t("The drawing did not come. The table has the same."));
  }

  /** Somebody changed the folder: what is tried here stays, and saving says who was first. */
  news() {
    if (this.weights) this.weights.news();
    else this.drawSoon();
  }

  /** What a preview answered, or what is saved by now. */
  take({ axes, drawing, useCases }) {
    this.drawing?.take(drawing);
    this.table.take(useCases);
    this.weights.tellThresholds(axes);
  }

  /** Nothing is tried any more. */
  settled() {
    MatrixParts.look();
  }
}

/** What the page is made of, as the server told it last. With other parts it is loaded anew, unless somebody tries weights. */
class MatrixParts extends HTMLElement {
  static first = null;

  connectedCallback() {
    MatrixParts.first ??= this.dataset.parts;
    MatrixParts.look();
  }

  static look() {
    const parts = document.querySelector("matrix-parts").dataset.parts;
    if (parts !== MatrixParts.first && !document.querySelector("matrix-view")?.tried) location.reload();
  }
}

customElements.define("matrix-view", MatrixView);
customElements.define("matrix-parts", MatrixParts);

const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
