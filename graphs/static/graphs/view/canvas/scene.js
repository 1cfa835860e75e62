// The SVG of one sheet. Keeps elements for the surroundings of the view only; the element it sits in is moved
// by the canvas, so that panning repaints nothing.

import { svg } from "../../dom.js";
import { drawGhost } from "../ghosts/draw-ghost.js";
import { inside, widened } from "../model/boxes.js";
import { Grid } from "../model/grid.js";
import { animate } from "./animate.js";
import { drawLine, drawLineLabel } from "./draw-line.js";
import { drawFarIcon, drawNode } from "./draw-node.js";
import { drawNote } from "./draw-note.js";
import { drawLabel, placeLabels } from "./labels.js";
import { Layer } from "./layer.js";
import { FarView } from "./tiles.js";

const NEAR = 0.8;
const FAR = 0.42;
const SMALLEST_TEXT = 10.5;

const GROUPS = [
  "notes",
  "far-lines",
  "lines",
  "lit-lines",
  "line-labels",
  "blocks",
  "far-icons",
  "nodes",
  "leaving",
  "rings",
  "ghosts",
  "connectors",
  "drafts",
  "labels",
];
/** How far drawn content reaches beyond the view, and how far the svg element does, in views. */
const MARGIN = 0.6;
const OVERHANG = 0.8;
const FRAME_WORK_MS = 5;
/** Blocks carry icons while a pixel is less than this in the drawing's units. */
const ICONS_BELOW = 5.2;

export class Scene {
  #world;
  groups = {};
  #layers;
  #labels;
  #ghosts;
  #far;
  #sheet = null;
  detail = null;
  #region = null;
  #probe = svg("path", { class: "probe" });
  #labelGrids = new Map();

  constructor() {
    for (const name of GROUPS) this.groups[name] = svg("g", { class: name });
    this.#world = svg("g", { class: "world" }, ...Object.values(this.groups), this.#probe);
    this.element = svg("svg", { class: "drawing", "aria-hidden": "true" }, this.#world);
    const group = this.groups;
    this.#layers = {
      notes: new Layer(group.notes, drawNote),
      lines: new Layer(group.lines, drawLine),
      lineLabels: new Layer(group["line-labels"], drawLineLabel),
      nodes: new Layer(group.nodes, drawNode),
      farIcons: new Layer(group["far-icons"], drawFarIcon),
    };
    this.#labels = new Layer(group.labels, drawLabel);
    this.#ghosts = new Layer(group.ghosts, drawGhost);
    this.#far = new FarView(group.blocks, group["far-lines"]);
  }

  /** Shows nodes, notes and lines with these keys faintly, all others as they are. */
  lift(keys) {
    const { nodes, notes, lines } = this.#layers;
    for (const layer of [nodes, notes, lines]) {
      for (const [item, element] of layer.drawn) element.classList.toggle("lifted", keys.has(item.key));
    }
  }

  /** Whether a spot lies within `reach` of a line. */
  touches(line, spot, reach) {
    this.#probe.setAttribute("d", line.path);
    this.#probe.style.strokeWidth = String(2 * reach);
    return this.#probe.isPointInStroke(new DOMPoint(spot.x, spot.y));
  }

  /** How many things the browser has to paint. */
  get drawnCount() {
    if (this.detail?.level === "far") return this.#sheet?.nodes.length ?? 0;
    return Object.values(this.#layers).reduce((sum, layer) => sum + layer.size, 0);
  }

  setSheet(sheet) {
    this.#sheet = sheet;
    this.#region = null;
    this.#labelGrids.clear();
    this.#layers.notes.setGrid(sheet?.noteGrid ?? null);
    this.#layers.lines.setGrid(sheet?.lineGrid ?? null);
    this.#layers.lineLabels.setGrid(sheet ? new Grid(sheet.lines.filter((line) => line.label)) : null);
    this.#layers.nodes.setGrid(sheet?.nodeGrid ?? null);
    this.#layers.farIcons.setGrid(sheet?.nodeGrid ?? null);
    this.#labels.setGrid(null);
    this.#far.setSheet(sheet);
  }

  /** What is proposed for the sheet: a Grid of marks (`ghosts/marks.js`), or null. */
  setGhosts(grid) {
    this.#ghosts.setGrid(grid);
    this.#region = null;
  }

  /** Nodes, notes and lines that are drawn near by, for `glideFrom`: Map of "kind key" -> {item, element}. */
  get standing() {
    if (this.detail?.level === "far") return new Map();
    const { nodes, notes, lines } = this.#layers;
    const named = (kind, layer) => layer.drawn.map(([item, element]) => [`${kind} ${item.key}`, { item, element }]);
    return new Map([...named("node", nodes), ...named("note", notes), ...named("line", lines)]);
  }

  /** Shows how what stood `before` became what stands now. */
  glideFrom(before) {
    if (this.detail?.level !== "far") animate(before, this.standing, this.groups.leaving);
  }

  /** Draws with the view {x, y, k} of a canvas of this size. */
  setTransform({ x, y, k }, width, height) {
    this.#world.setAttribute("transform", `translate(${x + OVERHANG * width} ${y + OVERHANG * height}) scale(${k})`);
  }

  /** Draws for `seen` (the view in the drawing's units) at zoom `k`; false if that stood already. */
  update(seen, k) {
    if (!this.#sheet) return false;
    const detail = detailFor(k);
    const changed = detail.key !== this.detail?.key;
    if (!changed && this.#region && inside(seen, this.#region)) return false;
    this.detail = detail;
    this.#region = widened(seen, MARGIN);
    if (changed) this.element.setAttribute("class", `drawing ${detail.level}`);
    if (changed) this.#world.style.setProperty("--unit", String(detail.unit));
    this.#layers.notes.update(this.#region, seen, detail);
    if (detail.level === "far") this.#updateFar(seen, detail);
    else this.#updateNear(seen, detail);
    this.#ghosts.update(this.#region, seen, detail);
    return true;
  }

  #updateFar(seen, detail) {
    for (const name of ["lines", "lineLabels", "nodes"]) this.#layers[name].clear();
    this.#far.update(this.#region);
    if (detail.unit < ICONS_BELOW) this.#layers.farIcons.update(this.#region, seen, { key: "any" });
    else this.#layers.farIcons.clear();
    if (!this.#labelGrids.has(detail.key)) this.#labelGrids.set(detail.key, placeLabels(this.#sheet, detail));
    this.#labels.setGrid(this.#labelGrids.get(detail.key));
    this.#labels.update(this.#region, seen, detail);
  }

  #updateNear(seen, detail) {
    this.#far.hide();
    this.#layers.farIcons.clear();
    this.#labels.setGrid(null);
    this.#layers.lines.update(this.#region, seen, { key: "any" });
    this.#layers.nodes.update(this.#region, seen, detail);
    if (detail.level === "near") this.#layers.lineLabels.update(this.#region, seen, { key: "any" });
    else this.#layers.lineLabels.clear();
  }

  /** Draws a little more of the surroundings; true when all of it stands. */
  work() {
    const deadline = performance.now() + FRAME_WORK_MS;
    return [...Object.values(this.#layers), this.#labels, this.#ghosts].every((layer) => layer.work(deadline));
  }
}

/**
 * How much is drawn at a zoom: everything near, larger names at a middle distance, blocks with some names far out.
 * {key, level, font, unit} for zoom `k`: `font` is the least size of text, `unit` one pixel, both in the units of the
 * drawing.
 */
function detailFor(k) {
  if (k >= NEAR) return { key: "near", level: "near", font: 0, unit: 1 };
  const step = Math.floor(Math.log2(k) * 3) / 3;
  const zoom = 2 ** step;
  const level = k >= FAR ? "mid" : "far";
  return { key: `${level}${Math.round(step * 3)}`, level, font: SMALLEST_TEXT / zoom, unit: 1 / zoom };
}
