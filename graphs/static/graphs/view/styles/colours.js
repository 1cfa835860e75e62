// Colours: those of the page with fallbacks, and fourteen hues for node types that read well in light and dark.

import { stylesheet } from "../../stylesheet.js";

const ANGLES = [22, 50, 86, 118, 148, 166, 190, 228, 255, 278, 300, 325, 355];
const GREY = 13;

function hue(index, angle, chroma) {
  const colour = (lightness, amount) => `oklch(${lightness} ${(amount * chroma).toFixed(3)} ${angle})`;
  return `
.hue-${index} {
  --tint: ${colour(0.95, 0.042)};
  --ink: ${colour(0.48, 0.14)};
  --block: ${colour(0.76, 0.105)};
  --edge: ${colour(0.87, 0.06)};
  --paper: ${colour(0.972, 0.036)};
  --paper-edge: ${colour(0.9, 0.07)};
}
.dark .hue-${index} {
  --tint: ${colour(0.33, 0.065)};
  --ink: ${colour(0.85, 0.11)};
  --block: ${colour(0.57, 0.095)};
  --edge: ${colour(0.42, 0.06)};
  --paper: ${colour(0.262, 0.022)};
  --paper-edge: ${colour(0.36, 0.04)};
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
  --_canvas: var(--bg, #f6f7f9);
  --_surface: var(--surface, #ffffff);
  --_raised: var(--surface-2, #f1f3f6);
  --_text: var(--text, #1b2130);
  --_muted: var(--text-muted, #5b6475);
  --_border: var(--border, #dce0e7);
  --_edge-of-field: var(--border-strong, #838ca0);
  --_primary: var(--primary, #3457d5);
  --_on-primary: var(--on-primary, #ffffff);
  --_danger: var(--danger, #b3261e);
  --_focus: var(--focus, #3457d5);
  --_code: var(--code-bg, #f6f7f9);
  --_shadow: var(--shadow, 0 1px 2px rgb(20 28 45 / 8%), 0 6px 20px rgb(20 28 45 / 10%));
  --_dot: color-mix(in srgb, var(--_text) 13%, transparent);
  --_line: color-mix(in srgb, var(--_text) 42%, var(--_canvas));
  --_found: #e0a100;
  --on-block: oklch(0.3 0.03 260);
  --note-map: #f3e3a8;
  --node-map: #8f9bb0;
  --code-keyword: #8a2fb8;
  --code-string: #1a7a3f;
  --code-number: #a5480a;
  --code-comment: #687084;
  --code-call: #2557c4;
  --code-property: #11667d;
}
.root.dark {
  color-scheme: dark;
  --_canvas: var(--bg, #11141a);
  --_surface: var(--surface, #1a1f28);
  --_raised: var(--surface-2, #232935);
  --_text: var(--text, #e8ebf1);
  --_muted: var(--text-muted, #a0a9b9);
  --_border: var(--border, #323a48);
  --_edge-of-field: var(--border-strong, #6d788e);
  --_primary: var(--primary, #8ea6ff);
  --_on-primary: var(--on-primary, #0e1430);
  --_danger: var(--danger, #ff9a92);
  --_focus: var(--focus, #8ea6ff);
  --_code: var(--code-bg, #141820);
  --_shadow: var(--shadow, 0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px rgb(0 0 0 / 40%));
  --_dot: color-mix(in srgb, var(--_text) 11%, transparent);
  --_line: color-mix(in srgb, var(--_text) 44%, var(--_canvas));
  --_found: #ffd257;
  --on-block: oklch(0.98 0.01 260);
  --note-map: #4a452f;
  --node-map: #77839a;
  --code-keyword: #d6a1ff;
  --code-string: #8fd6a3;
  --code-number: #ffb27d;
  --code-comment: #8d97a8;
  --code-call: #9dbbff;
  --code-property: #7fd0e4;
}
${ANGLES.map((angle, index) => hue(index, angle, 1)).join("")}
${hue(GREY, 260, 0.14)}
`);
