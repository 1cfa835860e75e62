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

class MatrixView extends HTMLElement {
  connectedCallback() {
    const { folder, workspace } = this.dataset;
    this.api = new Api("/api/v1/", workspace);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const box = this.querySelector("[data-drawing]");
    this.drawing = box && new MatrixDrawing(box, this.querySelector("[data-hint]"));
    this.table = new MatrixTable(this);
    this.weights = "editable" in this.dataset ? new MatrixWeights(this) : null;
    const changed = ({ detail: { object } }) => object?.type === "folder" && object.id === folder && this.news();
    document.addEventListener("countersign:object-changed", changed, { signal });
    NARROW.addEventListener("change", () => this.draw(), { signal });
    this.draw();
  }

  disconnectedCallback() {
    this.listeners.abort();
  }

  get size() {
    return NARROW.matches ? "narrow" : "wide";
  }

  /** The drawing of what is saved, unless weights are tried just now. */
  async draw() {
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
    else this.draw();
  }

  /** What a preview answered, or what is saved by now. */
  take({ drawing, useCases }) {
    this.drawing?.take(drawing);
    this.table.take(useCases);
  }
}

customElements.define("matrix-view", MatrixView);

const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
