// How proposed changes look on the drawing, and the box that lists them.

import { stylesheet } from "../../stylesheet.js";

export const ghosts = stylesheet(`
.root {
  --_create: var(--success, light-dark(#1b6b40, #72cf9b));
  --_delete: var(--danger, light-dark(#b3261e, #ff9189));
  --_update: var(--warning, light-dark(#875800, #efc15a));
  --_move: var(--primary, light-dark(#2b4fc7, #8ea8ff));
}
.create { --_sign: var(--_create); }
.delete { --_sign: var(--_delete); }
.update { --_sign: var(--_update); }
:is(.move, .leave) { --_sign: var(--_move); }

.ghost .card, .ghost .paper, .ghost-block {
  fill: color-mix(in srgb, var(--_sign) 14%, var(--_surface)); stroke: var(--_sign); fill-opacity: 0.82;
  stroke-width: calc(1.8px * max(1, var(--unit)));
  stroke-dasharray: calc(6px * max(1, var(--unit))) calc(4px * max(1, var(--unit)));
}
.ghost-veil {
  fill: color-mix(in srgb, var(--_sign) 20%, transparent); stroke: var(--_sign);
  stroke-width: calc(2px * max(1, var(--unit)));
}
.ghost-strike {
  fill: none; stroke: var(--_sign); stroke-width: calc(2px * max(1, var(--unit))); stroke-linecap: round;
}
.ghost-ring {
  fill: color-mix(in srgb, var(--_sign) 10%, transparent); stroke: var(--_sign);
  stroke-width: calc(2.2px * max(1, var(--unit)));
}
:is(.move, .leave) .ghost-ring {
  fill: none; stroke-width: calc(1.4px * max(1, var(--unit)));
  stroke-dasharray: calc(2px * max(1, var(--unit))) calc(4px * max(1, var(--unit)));
}
.ghost-trail {
  fill: none; stroke: var(--_sign); stroke-width: calc(2px * max(1, var(--unit))); stroke-linecap: round;
  stroke-dasharray: none; opacity: 0.75;
}
.ghost-line {
  fill: none; stroke: var(--_sign); stroke-width: calc(2.4px * max(1, var(--unit))); stroke-linecap: round;
}
.create .ghost-line { stroke-dasharray: calc(6px * max(1, var(--unit))) calc(5px * max(1, var(--unit))); }
.delete .ghost-line { stroke-dasharray: calc(1px * max(1, var(--unit))) calc(6px * max(1, var(--unit))); }
.ghost-badge rect { fill: var(--_sign); stroke: var(--_canvas); stroke-width: calc(1.5px * max(1, var(--unit))); }
.ghost-badge text { fill: var(--_surface); text-anchor: middle; font-weight: 700; }
.choosing .ghost:not(.chosen) { opacity: 0.4; }
.leaving { pointer-events: none; }

.tip.marks { max-width: 340px; }
.tip .tip-mark + .tip-mark {
  margin-top: 6px; padding-top: 6px; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent);
}
.tip .tip-field { display: grid; grid-template-columns: auto 1fr; gap: 0 8px; opacity: 1; overflow-wrap: anywhere; }
.tip .tip-field span { display: inline; }
.tip del { opacity: 0.7; }
.tip ins { text-decoration: none; font-weight: 600; }

.waiting {
  position: absolute; left: 12px; bottom: 12px; z-index: 1; display: flex; flex-direction: column-reverse; gap: 8px;
  width: min(340px, calc(100% - 24px)); max-height: calc(100% - 74px); pointer-events: none;
}
.waiting > * { pointer-events: auto; }
.waiting-button {
  align-self: flex-start; display: flex; align-items: center; gap: 8px; padding: 6px 12px; min-height: 38px;
  background: var(--_surface); border: 1px solid var(--_border); border-radius: 99px; box-shadow: var(--_shadow);
  font-weight: 600;
}
.waiting-button:hover { background: var(--_raised); }
.waiting-dot { width: 9px; height: 9px; border-radius: 50%; background: var(--_update); flex: none; }
.waiting-list {
  min-height: 0; overflow: auto; padding: 8px; background: var(--_surface); border: 1px solid var(--_border);
  border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow);
}
.legend {
  display: flex; flex-wrap: wrap; gap: 4px 12px; margin: 0; padding: 4px 8px 8px; font-size: 12px; color: var(--_muted);
}
.legend span { display: inline-flex; align-items: center; gap: 5px; }
.sign {
  display: inline-grid; place-items: center; min-width: 18px; height: 18px; padding: 0 4px; border-radius: 99px;
  background: var(--_sign); color: var(--_surface); font-weight: 700; font-size: 12px; line-height: 1;
  font-style: normal;
}
.waiting-list ol { list-style: none; margin: 0; padding: 0; }
.waiting-list li button {
  display: grid; grid-template-columns: auto 1fr; gap: 2px 10px; width: 100%; padding: 8px; text-align: start;
}
.waiting-list li button:hover { background: var(--_raised); }
.waiting-list li button[aria-pressed=true] { background: var(--_raised); box-shadow: inset 3px 0 var(--_primary); }
.waiting-number { color: var(--_muted); font-variant-numeric: tabular-nums; }
.waiting-words { font-weight: 600; overflow-wrap: anywhere; }
.waiting-why, .waiting-counts { grid-column: 2; font-size: 12.5px; color: var(--_muted); overflow-wrap: anywhere; }
.waiting-why { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.waiting-counts { display: flex; flex-wrap: wrap; gap: 4px 10px; }
.waiting-counts span { display: inline-flex; align-items: center; gap: 5px; }

@container (max-width: 620px) {
  .waiting { bottom: 64px; }
  .waiting-button { min-height: 40px; }
  .waiting-list { max-height: 46cqh; }
}
@container (max-width: 699px) { .root.with-details .waiting { display: none; } }
`);
