// How live editing looks: who is there, what they selected, whether everything is saved.

import { stylesheet } from "../../stylesheet.js";

export const live = stylesheet(`
.live-bar {
  position: absolute; left: 12px; top: 58px; z-index: 1; display: flex; align-items: center; gap: 8px; min-height: 32px;
  max-width: calc(100% - 24px); padding: 3px 10px; font-size: 12.5px; color: var(--_muted); background: var(--_surface);
  border: 1px solid var(--_border); border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow);
  pointer-events: none;
}
.live-bar :is(button, li) { pointer-events: auto; }
.live-bar[hidden] { display: none; }
.live-bar:is([data-state=away], [data-state=crowded]) { color: var(--_text); border-color: var(--_danger); }
.live-people { display: flex; gap: 4px; margin: 0; padding: 0; list-style: none; }
.live-people:empty { display: none; }
.live-person {
  display: grid; place-items: center; width: 24px; height: 24px; font-size: 10.5px; font-weight: 700; border-radius: 50%;
  text-transform: uppercase; color: #fff; background: hsl(var(--hue) 60% 34%);
}
.live-more { align-self: center; font-variant-numeric: tabular-nums; }
.live-save { padding: 2px 4px; color: var(--_primary); font-weight: 600; }
.live-ring {
  fill: none; stroke: color-mix(in srgb, hsl(var(--hue) 75% 50%) 75%, var(--_text));
  stroke-width: calc(2px * max(1, var(--unit)));
}
.live-name, .live-cursor {
  fill: color-mix(in srgb, hsl(var(--hue) 75% 50%) 60%, var(--_text)); font: 600 calc(12px * max(1, var(--unit))) var(--_font);
  paint-order: stroke; stroke: var(--_canvas); stroke-width: calc(3px * max(1, var(--unit)));
}
.far .live-name { display: none; }
.live-dot {
  r: calc(5px * max(1, var(--unit))); fill: hsl(var(--hue) 75% 50%); stroke: var(--_canvas);
  stroke-width: calc(1.5px * max(1, var(--unit)));
}

.surface:not(:has(.edit-tools)) .live-bar { top: 12px; }
.group-bar:not([hidden]) ~ .live-bar { top: 104px; }

@container (max-width: 899px) {
  .with-details.one-sheet .live-bar { top: 102px; }
}
@container (max-width: 620px) {
  .live-bar { top: 62px; }
  .one-sheet .live-bar { top: 108px; }
  .surface:not(:has(.edit-tools)) .live-bar { top: 12px; }
  .one-sheet .surface:not(:has(.edit-tools)) .live-bar { top: 56px; }
  .group-bar:not([hidden]) ~ .live-bar, .details.tall ~ .live-bar { display: none; }
  .live-save { min-height: 40px; }
}
`);
