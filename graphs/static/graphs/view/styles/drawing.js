// How the drawing looks: canvas, cards, notes, edges, labels, rings.

import { stylesheet } from "../../stylesheet.js";

export const drawing = stylesheet(`
.canvas {
  position: absolute; inset: 0; overflow: clip; contain: strict; cursor: grab; touch-action: none; outline: none;
  user-select: none; -webkit-user-select: none; background: var(--_canvas);
}
.canvas.over-node { cursor: pointer; }
.canvas.dragging { cursor: grabbing; }
.canvas:focus-visible::after {
  content: ""; position: absolute; inset: 2px; border: 2px solid var(--_focus);
  border-radius: calc(var(--_radius) - 2px); pointer-events: none;
}
.dots {
  position: absolute; inset: 0 -60px -60px 0;
  background-image: radial-gradient(circle, var(--_dot) 1px, transparent 1.4px); will-change: transform;
}
.stage { position: absolute; inset: 0; transform-origin: 0 0; will-change: transform; }
/* Larger than the canvas by 80 % on each side (OVERHANG in canvas/scene.js). Not "visible": unclipped, Chromium layers every
   element anew in each frame. */
.drawing {
  position: absolute; left: -80%; top: -80%; width: 260%; height: 260%; overflow: hidden; pointer-events: none;
  font-family: var(--_font);
}

.card { fill: var(--_surface); stroke: var(--edge); stroke-width: 1.25; }
.tile { fill: var(--tint); }
.icon-path { fill: none; stroke: var(--ink); stroke-linecap: round; stroke-linejoin: round; }
.monogram { fill: var(--ink); text-anchor: middle; font-weight: 700; font-family: var(--_font); }
.name { fill: var(--_text); font-weight: 600; }
.type { fill: var(--_muted); }
.mid .card { stroke-width: calc(1.1px * var(--unit)); }
.bold .card { fill: var(--tint); stroke: var(--block); }
.preview { fill: var(--_code); }
.preview-line { fill: var(--_muted); font-family: var(--_mono); white-space: pre; }

.handle.out { fill: var(--_surface); stroke: var(--_line); stroke-width: 1.6; }
.handle.in { fill: var(--_line); }
.handle.out.ai { stroke: oklch(0.6 0.15 300); }
.handle.in.ai { fill: oklch(0.6 0.15 300); }
.handle-label {
  fill: var(--_muted); paint-order: stroke; stroke: var(--_canvas); stroke-width: 3px; stroke-linejoin: round;
}

.paper { fill: var(--paper); stroke: var(--paper-edge); stroke-width: calc(1px * var(--unit)); }
.note-text { fill: color-mix(in srgb, var(--_text) 78%, var(--paper)); }
.note-heading { fill: var(--_text); font-weight: 700; }

.line { fill: none; stroke: var(--_line); stroke-width: 1.6; stroke-linecap: round; }
.line.ai { stroke: oklch(0.6 0.15 300); stroke-dasharray: 6 5; }
.line.error { stroke: var(--_danger); stroke-dasharray: 2 5; }
.mid .lines .line { stroke-width: calc(1.35px * var(--unit)); }
.far-lines .line { stroke-width: calc(1px * var(--unit)); stroke-dasharray: none; }
.has-selection .lines, .has-selection .far-lines { opacity: 0.5; }
.line-label rect { fill: var(--_surface); stroke: var(--_border); }
.line-label text { fill: var(--_muted); text-anchor: middle; font-weight: 500; }
.line-label.error text { fill: var(--_danger); }

.lit .line { stroke: var(--_primary); stroke-width: calc(2.2px * max(1, var(--unit))); }
.head { fill: var(--_primary); }
.lit.into .line { stroke: color-mix(in oklab, var(--_primary) 62%, oklch(0.7 0.14 190)); }
.head.into { fill: color-mix(in oklab, var(--_primary) 62%, oklch(0.7 0.14 190)); }
.far .head { display: none; }

.block { fill: var(--block); stroke: var(--block); stroke-width: 8; stroke-linejoin: round; }
.far-icon .icon-path { stroke: var(--on-block); }
.far-icon .monogram { fill: var(--on-block); }
.far-label, .far-heading {
  fill: var(--_text); font-weight: 500; paint-order: stroke; stroke: var(--_canvas);
  stroke-width: calc(3px * var(--unit)); stroke-linejoin: round;
}
.far-label { text-anchor: middle; }
.far-heading { font-weight: 700; }

.ring { fill: none; stroke-width: calc(1.5px * max(1, var(--unit))); }
.ring.selected { stroke: var(--_primary); stroke-width: calc(2.5px * max(1, var(--unit))); }
.ring.neighbour { stroke: color-mix(in srgb, var(--_primary) 55%, transparent); }
.ring.match {
  stroke: var(--_found); stroke-width: calc(2.5px * max(1, var(--unit)));
  fill: color-mix(in srgb, var(--_found) 18%, transparent);
}
.ring.changed {
  stroke: var(--_primary); stroke-width: calc(3px * max(1, var(--unit))); animation: fade 2.4s ease-out forwards;
}
@keyframes fade { from { opacity: 1; } to { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .ring.changed { animation-timing-function: step-end; } }
`);
