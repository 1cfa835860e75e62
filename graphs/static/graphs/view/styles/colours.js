// Colours: those of the page with fallbacks, and fourteen hues for node types that read well in light and dark.

import { stylesheet } from "../../stylesheet.js";

const ANGLES = [22, 50, 86, 118, 148, 166, 190, 228, 255, 278, 300, 325, 355];
const GREY = 13;

function hue(index, angle, chroma) {
  const colour = (lightness, amount) => `oklch(${lightness} ${(amount * chroma).toFixed(3)} ${angle})`;
  return `
.hue-${index} {
  --tint: light-dark(${colour(0.95, 0.042)}, ${colour(0.33, 0.065)});
  --ink: light-dark(${colour(0.48, 0.14)}, ${colour(0.85, 0.11)});
  --block: light-dark(${colour(0.76, 0.105)}, ${colour(0.57, 0.095)});
  --edge: light-dark(${colour(0.87, 0.06)}, ${colour(0.42, 0.06)});
  --paper: light-dark(${colour(0.972, 0.036)}, ${colour(0.262, 0.022)});
  --paper-edge: light-dark(${colour(0.9, 0.07)}, ${colour(0.36, 0.04)});
}`;
}

export const colours = stylesheet(`
:host {
  --_font: var(--font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif);
  --_mono: var(--mono, ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace);
  --_radius: var(--radius, 8px);
}
.root {
  color-scheme: light;
  --_canvas: var(--bg, light-dark(#f6f7f9, #11141a));
  --_surface: var(--surface, light-dark(#ffffff, #1a1f28));
  --_raised: var(--surface-2, light-dark(#f1f3f6, #232935));
  --_text: var(--text, light-dark(#1b2130, #e8ebf1));
  --_muted: var(--text-muted, light-dark(#5b6475, #a0a9b9));
  --_border: var(--border, light-dark(#dce0e7, #323a48));
  --_edge-of-field: var(--border-strong, light-dark(#838ca0, #6d788e));
  --_primary: var(--primary, light-dark(#3457d5, #8ea6ff));
  --_on-primary: var(--on-primary, light-dark(#ffffff, #0e1430));
  --_danger: var(--danger, light-dark(#b3261e, #ff9a92));
  --_focus: var(--focus, light-dark(#3457d5, #8ea6ff));
  --_code: var(--code-bg, light-dark(#f6f7f9, #141820));
  --_shadow: var(
    --shadow,
    0 1px 2px light-dark(rgb(20 28 45 / 8%), rgb(0 0 0 / 40%)), 0 6px 20px light-dark(rgb(20 28 45 / 10%), rgb(0 0 0 / 40%))
  );
  --_dot: color-mix(in srgb, var(--_text) 12%, transparent);
  --_line: color-mix(in srgb, var(--_text) 43%, var(--_canvas));
  --_found: light-dark(#e0a100, #ffd257);
  --on-block: light-dark(oklch(0.3 0.03 260), oklch(0.98 0.01 260));
  --note-map: #f3e3a8;
  --node-map: #8f9bb0;
  --code-keyword: light-dark(#8a2fb8, #d6a1ff);
  --code-string: light-dark(#1a7a3f, #8fd6a3);
  --code-number: light-dark(#a5480a, #ffb27d);
  --code-comment: light-dark(#687084, #8d97a8);
  --code-call: light-dark(#2557c4, #9dbbff);
  --code-property: light-dark(#11667d, #7fd0e4);
}
/* What the small map reads must be a plain colour. */
.root.dark {
  color-scheme: dark;
  --note-map: #4a452f;
  --node-map: #77839a;
}
${ANGLES.map((angle, index) => hue(index, angle, 1)).join("")}
${hue(GREY, 260, 0.14)}
`);
