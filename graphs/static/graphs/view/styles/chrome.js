// How everything around the drawing looks: bar, tabs, find box, buttons, small map, messages.

import { stylesheet } from "../../stylesheet.js";

export const chrome = stylesheet(`
:host {
  display: block; position: relative; min-height: 320px; contain: layout paint; container-type: size;
  font-family: var(--_font); font-size: 14px; line-height: 1.45;
}
:host([hidden]) { display: none; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.root {
  position: absolute; inset: 0; display: flex; flex-direction: column; color: var(--_text); background: var(--_surface);
  border-radius: inherit; overflow: clip;
}
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; border-radius: 6px; }
button:focus-visible, input:focus-visible, summary:focus-visible, pre:focus-visible, .details:focus-visible {
  outline: 2px solid var(--_focus); outline-offset: 1px;
}
.icon {
  display: block; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round;
  flex: none;
}
.icon-button { display: inline-grid; place-items: center; width: 32px; height: 32px; color: var(--_muted); flex: none; }
.icon-button:hover { background: var(--_raised); color: var(--_text); }
.muted { color: var(--_muted); }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}

.bar {
  display: flex; align-items: center; gap: 12px; padding: 8px 12px; min-height: 50px;
  border-bottom: 1px solid var(--_border); background: var(--_surface); position: relative; z-index: 3;
}
.tabs { display: flex; gap: 2px; min-width: 0; overflow-x: auto; scrollbar-width: none; padding: 2px; margin: -2px; }
.tabs::-webkit-scrollbar { display: none; }
[role=tab] {
  display: inline-flex; align-items: center; gap: 7px; padding: 6px 11px; white-space: nowrap; color: var(--_muted);
  font-weight: 500; flex: none; max-width: 240px;
}
[role=tab]:hover { background: var(--_raised); color: var(--_text); }
[role=tab][aria-selected=true] { background: var(--_raised); color: var(--_text); font-weight: 600; }
.tab-name { overflow: hidden; text-overflow: ellipsis; }
.count { font-size: 11.5px; font-variant-numeric: tabular-nums; color: var(--_muted); font-weight: 500; }
.one-sheet .bar {
  position: absolute; top: 0; right: 0; border: 0; background: none; z-index: 2; padding: 12px;
  transition: transform 160ms ease;
}
.one-sheet .find { box-shadow: var(--_shadow); border-radius: var(--_radius); width: 240px; }
.one-sheet .find input { background: var(--_surface); border-color: var(--_border); }
.space { flex: 1; }

.find {
  position: relative; display: flex; align-items: center; width: 260px; min-width: 0; flex: 0 1 260px;
  color: var(--_muted);
}
.find > .icon { position: absolute; left: 10px; pointer-events: none; }
.find input {
  width: 100%; font: inherit; color: var(--_text); background: var(--_raised); border: 1px solid transparent;
  border-radius: var(--_radius); padding: 5px 34px 5px 32px; height: 34px; appearance: none;
}
::placeholder { color: var(--_muted); opacity: 1; }
.find input::-webkit-search-cancel-button { display: none; }
.find input:focus { background: var(--_surface); border-color: var(--_focus); outline-offset: -1px; }
.find kbd, .found-count { position: absolute; right: 9px; font-size: 11.5px; pointer-events: none; }
.find kbd {
  font-family: var(--_mono); border: 1px solid var(--_border); border-radius: 4px; padding: 0 5px;
  background: var(--_surface);
}
.find.searching kbd, .find:focus-within kbd { display: none; }
.found {
  position: absolute; top: calc(100% + 6px); right: 0; width: max(100%, 320px); max-height: min(420px, 60cqh);
  overflow: auto; margin: 0; padding: 6px; list-style: none; background: var(--_surface); color: var(--_text);
  border: 1px solid var(--_border); border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow); z-index: 5;
}
.found li { display: flex; align-items: center; gap: 10px; padding: 6px 8px; border-radius: 6px; cursor: pointer; }
.found li[aria-selected=true], .found li[role=option]:hover { background: var(--_raised); }
.found .nothing { color: var(--_muted); cursor: default; }
.badge { flex: none; display: block; }
.words { display: flex; flex-direction: column; min-width: 0; flex: 1; line-height: 1.3; text-align: start; }
.row-name, .row-note { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row-note { color: var(--_muted); font-size: 12px; }

.surface { position: relative; flex: 1; min-height: 0; overflow: clip; }
.controls {
  position: absolute; right: 12px; bottom: 12px; display: flex; flex-direction: column; align-items: flex-end; gap: 8px;
  z-index: 1; transition: transform 160ms ease;
}
.zoom {
  display: flex; align-items: center; background: var(--_surface); border: 1px solid var(--_border);
  border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow); padding: 2px;
}
.zoom .percent {
  min-width: 46px; height: 32px; font-size: 12.5px; font-variant-numeric: tabular-nums; color: var(--_muted);
  text-align: center;
}
.zoom .percent:hover { background: var(--_raised); color: var(--_text); }
.minimap {
  position: relative; width: 168px; height: 108px; overflow: clip;
  background: color-mix(in srgb, var(--_surface) 92%, transparent); border: 1px solid var(--_border);
  border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow); cursor: crosshair; touch-action: none;
}
.minimap canvas { width: 168px; height: 108px; display: block; margin: -1px; }
.minimap-frame {
  will-change: transform; position: absolute; left: -1px; top: -1px; border: 1.5px solid var(--_primary);
  border-radius: 3px; background: color-mix(in srgb, var(--_primary) 10%, transparent);
}
.tip {
  position: absolute; left: 0; top: 0; z-index: 2; max-width: 280px; padding: 5px 9px; pointer-events: none;
  background: var(--_text); color: var(--_surface); border-radius: 6px; font-size: 12.5px; line-height: 1.35;
  box-shadow: var(--_shadow);
}
.tip span { display: block; opacity: 0.75; font-size: 11.5px; }

.message {
  position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; gap: 6px; padding: 24px;
  text-align: center; background: var(--_canvas); z-index: 4;
}
.message.over { background: none; pointer-events: none; z-index: 1; }
.message h2 { margin: 4px 0 0; font-size: 17px; }
.message p { margin: 0; color: var(--_muted); max-width: 42ch; }
.message .actions { display: flex; gap: 8px; margin-top: 12px; }
.button {
  padding: 7px 14px; border-radius: var(--_radius); background: var(--_primary); color: var(--_on-primary);
  font-weight: 600; text-decoration: none;
}
.button:hover { filter: brightness(1.06); }
.message > .icon { color: var(--_muted); }
.spinner {
  width: 28px; height: 28px; border: 3px solid var(--_border); border-top-color: var(--_primary); border-radius: 50%;
  animation: turn 0.9s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) {
  .spinner { animation-duration: 4s; }
  .controls, .one-sheet .bar { transition: none; }
}
.toast {
  position: absolute; left: 50%; bottom: 18px; transform: translateX(-50%); max-width: calc(100% - 32px);
  padding: 8px 14px; background: var(--_text); color: var(--_surface); border-radius: var(--_radius);
  box-shadow: var(--_shadow); z-index: 6; font-size: 13.5px;
}
.help-card {
  position: absolute; right: 12px; bottom: 60px; width: min(330px, calc(100% - 24px)); max-height: calc(100% - 76px);
  overflow: auto; padding: 14px 16px; background: var(--_surface); border: 1px solid var(--_border);
  border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow); z-index: 5;
}
.help-card h2 { margin: 0 0 8px; font-size: 14px; }
.help-card dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 14px; margin: 0; font-size: 13px; }
.help-card dd { margin: 0; color: var(--_muted); }
.help-card kbd {
  font-family: var(--_mono); font-size: 11.5px; padding: 1px 6px; border: 1px solid var(--_border);
  border-bottom-width: 2px; border-radius: 5px; background: var(--_raised); white-space: nowrap;
}

@container (max-width: 620px) {
  .bar { padding: 6px 8px; gap: 6px; }
  .one-sheet .bar { left: 0; }
  .minimap { display: none; }
  .find { flex: 1 1 120px; width: auto; }
  .find kbd { display: none; }
  .bar:has(.tabs:not([hidden])) .find:not(:focus-within, .searching) { flex: 0 0 38px; }
  .bar:has(.tabs:not([hidden])) .find:not(:focus-within, .searching) input { padding-right: 0; color: transparent; }
  .bar:has(.tabs:not([hidden])) .find:not(:focus-within, .searching) input::placeholder { color: transparent; }
  .bar:has(.find:focus-within, .find.searching) .tabs { display: none; }
  .bar .space { display: none; }
  .bar .tabs { flex: 1; }
  .found { width: calc(100cqw - 16px); }
  .zoom .icon-button, .zoom .percent { height: 40px; min-width: 40px; }
}
`);
