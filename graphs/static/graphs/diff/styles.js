// How changes look: signs and colours together, so that neither is needed alone; the page's properties win.

import { stylesheet } from "../stylesheet.js";

export const diffSheet = stylesheet(`
.diff, .diff-code {
  --d-add: var(--success, light-dark(#1b6b40, #72cf9b));
  --d-remove: var(--danger, light-dark(#b3261e, #ff9189));
  --d-change: var(--warning, light-dark(#875800, #efc15a));
  --d-muted: var(--text-muted, light-dark(#586176, #9ca7ba));
  --d-border: var(--border, light-dark(#d7dce6, #303848));
  --d-code: var(--code-bg, light-dark(#eff1f6, #0d1017));
  --d-mono: var(--mono, ui-monospace, "SF Mono", Menlo, Consolas, monospace);
}
.diff {
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 2px; font-size: 13px; line-height: 1.5;
}
.diff-head {
  display: flex; align-items: baseline; gap: 8px; padding: 3px 4px; border-radius: 6px; list-style: none; min-width: 0;
}
summary.diff-head { cursor: pointer; }
summary.diff-head::-webkit-details-marker { display: none; }
summary.diff-head::after {
  content: ""; flex: none; margin-inline-start: auto; border: 4px solid transparent; align-self: center;
  border-inline-start: 5px solid var(--d-muted); border-inline-end: 0; transition: transform 100ms;
}
details[open] > summary.diff-head::after { transform: rotate(90deg); }
summary.diff-head:hover { background: color-mix(in srgb, currentColor 6%, transparent); }
.diff-sign {
  flex: none; inline-size: 18px; text-align: center; border-radius: 4px; font: 700 13px/18px var(--d-mono);
  color: var(--d-change); background: color-mix(in srgb, var(--d-change) 15%, transparent);
}
[data-action="create"] > .diff-head > .diff-sign {
  color: var(--d-add); background: color-mix(in srgb, var(--d-add) 15%, transparent);
}
[data-action="delete"] > .diff-head > .diff-sign {
  color: var(--d-remove); background: color-mix(in srgb, var(--d-remove) 15%, transparent);
}
.diff-label { min-width: 0; overflow-wrap: anywhere; font-weight: 600; }
[data-action="delete"] > .diff-head > .diff-label { text-decoration: line-through; text-decoration-thickness: 1px; }
.diff-kind { flex: none; font-size: 12px; color: var(--d-muted); white-space: nowrap; }
.diff dl { margin: 0 0 6px; padding: 2px 4px 2px 30px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; }
.diff-field { display: flex; flex-wrap: wrap; gap: 0 10px; min-width: 0; }
.diff-field:is([data-form="code"], [data-form="json"]) { display: block; }
.diff dt { color: var(--d-muted); }
.diff dd { margin: 0; min-width: 0; flex: 1 1 60%; }
.diff-sides { display: inline-flex; flex-wrap: wrap; gap: 0 7px; min-width: 0; max-width: 100%; }
.diff-sides :is(del, ins) { min-width: 0; overflow-wrap: anywhere; white-space: pre-wrap; text-decoration: none; }
.diff-sides :is(del, ins) > :last-child { padding: 0 4px; border-radius: 4px; }
.diff-sides del > :last-child {
  text-decoration: line-through; text-decoration-thickness: 1px; color: var(--d-remove);
  background: color-mix(in srgb, var(--d-remove) 11%, transparent);
}
.diff-sides ins > :last-child { color: var(--d-add); background: color-mix(in srgb, var(--d-add) 12%, transparent); }
.diff-arrow, .diff-empty { color: var(--d-muted); }
.diff-empty { font-style: italic; }
.diff-paths { margin: 0; padding: 0; list-style: none; font: 12px/1.6 var(--d-mono); }
.diff-paths li { display: flex; flex-wrap: wrap; gap: 0 10px; }
.diff-path { overflow-wrap: anywhere; font: inherit; }
.diff-code {
  margin-block-start: 3px; border: 1px solid var(--d-border); border-radius: 6px; background: var(--d-code);
  overflow: hidden;
}
.diff-lines { max-height: 420px; overflow: auto; padding-block: 3px; font: 12px/1.55 var(--d-mono); tab-size: 4; }
.diff-line { display: flex; position: relative; }
.diff-line code { flex: 1; min-width: 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; padding-inline-end: 12px; }
.diff-number {
  flex: none; width: 3.2em; padding-inline-end: 8px; text-align: end; color: var(--d-muted); user-select: none;
}
.diff-op { flex: none; width: 1.4em; user-select: none; }
.diff-line[data-op="+"] { background: color-mix(in srgb, var(--d-add) 14%, transparent); }
.diff-line[data-op="-"] { background: color-mix(in srgb, var(--d-remove) 12%, transparent); }
.diff-line[data-op="+"] .diff-op { color: var(--d-add); }
.diff-line[data-op="-"] .diff-op { color: var(--d-remove); }
.diff-gap { padding: 1px 8px 1px 3.6em; color: var(--d-muted); background: rgb(127 127 127 / 9%); }
.diff-rest { color: var(--d-muted); padding-inline: 0.3em; }
.diff-more {
  padding: 2px 8px; border: 0; background: none; color: var(--primary, light-dark(#2b4fc7, #8ea8ff));
  font: 12px/1.6 var(--font, system-ui, sans-serif); text-align: start; cursor: pointer;
}
.diff-more:hover { text-decoration: underline; }
.diff-unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (prefers-reduced-motion: reduce) { summary.diff-head::after { transition: none; } }
`);
