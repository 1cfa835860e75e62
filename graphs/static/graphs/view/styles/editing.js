// How editing looks: the form in the details, buttons on the drawing, the card of an edge, dialogs, who else is there.

import { stylesheet } from "../../stylesheet.js";

export const editing = stylesheet(`
.edit-tools {
  position: absolute; left: 12px; top: 12px; z-index: 1; display: flex; align-items: center; padding: 2px;
  background: var(--_surface); border: 1px solid var(--_border); border-radius: calc(var(--_radius) + 2px);
  box-shadow: var(--_shadow);
}
.edit-tools button:disabled { opacity: 0.4; cursor: default; }
.edit-tools button[aria-pressed=true] { background: var(--_primary); color: var(--_surface); }
.new-node { display: inline-flex; align-items: center; gap: 6px; height: 32px; padding: 0 12px 0 8px; font-weight: 600; }
.new-node:hover { background: var(--_raised); }

.group-bar {
  position: absolute; left: 12px; top: 58px; z-index: 1; display: flex; align-items: center; gap: 6px; padding: 2px 2px 2px 12px;
  max-width: calc(100% - 24px); background: var(--_surface); border: 1px solid var(--_primary); border-radius: calc(var(--_radius) + 2px);
  box-shadow: var(--_shadow);
}
.group-bar .button { min-height: 32px; padding: 0 10px; }
.group-words { font-weight: 600; font-variant-numeric: tabular-nums; margin-inline-end: 6px; }
.choice-box {
  fill: var(--_primary); fill-opacity: 0.08; stroke: var(--_primary); stroke-width: calc(1px * max(1, var(--unit)));
  stroke-dasharray: calc(4px * max(1, var(--unit)));
}

.connector { fill: var(--_primary); fill-opacity: 0.28; stroke: var(--_primary); stroke-width: 1.6; }
.ring.target { stroke: var(--_primary); stroke-width: calc(2.5px * max(1, var(--unit))); }
.drafts .line { stroke: var(--_primary); stroke-width: calc(2px * max(1, var(--unit))); }
.lifted { opacity: 0.18; }
.canvas.lifting { cursor: grabbing; }
.canvas.lifting :is(.rings, .lit-lines, .connectors) { visibility: hidden; }
.far .connectors { display: none; }
.probe { visibility: hidden; fill: none; }

.edit-form { display: flex; flex-direction: column; flex: 1; min-height: 0; }
.edit-form .details-body { display: grid; align-content: start; gap: 14px; grid-template-columns: minmax(0, 1fr); }
.edit-field { display: grid; gap: 5px; min-width: 0; grid-template-columns: minmax(0, 1fr); }
.edit-field > label, .edit-label, .edit-more > summary, .line-card label > span {
  font-size: 12px; font-weight: 650; color: var(--_muted); letter-spacing: 0.02em; margin: 0;
}
.edit-more > summary { cursor: pointer; padding: 2px 0; border-radius: 4px; }
.edit-more[open] > summary { margin-bottom: 8px; }
.edit-row { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; min-width: 0; }
.edit-row > .edit-field { flex: 1 1 40%; }
.edit-row > input { flex: 1 1 110px; width: auto; }
.edit-row > select { flex: 0 1 110px; width: auto; }
:is(.edit-form, .line-card, .ask) :is(input, select, textarea) {
  font: inherit; color: var(--_text); background: var(--_surface); border: 1px solid var(--_edge-of-field);
  border-radius: var(--_radius); padding: 5px 9px; min-height: 34px; width: 100%; min-width: 0;
}
:is(.edit-form, .ask) textarea { resize: vertical; line-height: 1.5; }
:is(.edit-form, .line-card, .ask) input[type=radio] { width: auto; min-height: 0; }
:is(.edit-form, .line-card, .ask) :is(input, select, textarea):focus-visible {
  outline: 2px solid var(--_focus); outline-offset: 0;
}
.field-problem { margin: 0; color: var(--_danger); font-size: 12.5px; overflow-wrap: anywhere; }
.field-problem:empty { display: none; }

.code-field {
  display: flex; max-height: 380px; min-height: 96px; overflow: auto; resize: vertical; background: var(--_code);
  border: 1px solid var(--_edge-of-field); border-radius: var(--_radius); font: 12.5px/1.55 var(--_mono);
}
.code-field:focus-within { outline: 2px solid var(--_focus); }
.code-numbers {
  position: sticky; left: 0; z-index: 1; flex: none; display: grid; align-content: start; padding: 8px 6px 8px 8px;
  text-align: end; color: var(--_muted); background: var(--_code); user-select: none; -webkit-user-select: none; opacity: 0.8;
}
.code-text { position: relative; flex: 1 0 auto; min-width: 0; display: grid; }
.details .code-text pre, .code-text pre, .ask .code-text textarea, .edit-form .code-text textarea {
  grid-area: 1 / 1; margin: 0; padding: 8px 12px 8px 6px; border: 0; border-radius: 0; background: none; overflow: hidden;
  max-height: none; min-height: 100%; width: 100%; font: inherit; line-height: inherit; white-space: pre; tab-size: 2;
}
.ask .code-text textarea, .edit-form .code-text textarea {
  color: transparent; caret-color: var(--_text); resize: none; outline: none;
}
.code-text textarea::selection { background: color-mix(in srgb, var(--_primary) 30%, transparent); color: transparent; }

.edit-handles { list-style: none; margin: 0; padding: 0; display: grid; gap: 8px; }
.edit-handles li {
  display: grid; grid-template-columns: 1fr 1fr 1fr auto; gap: 5px; align-items: center;
}
.edit-handles li > .icon-button { grid-area: 1 / 4 / span 2; }
.edit-handles :is(input, select) { padding-inline: 6px; font-size: 12.5px; }
.edit-handles input:nth-of-type(2) { grid-column: 1 / span 2; }
.edit-field > .link { justify-self: start; }
.edit-edges { display: grid; gap: 6px; grid-template-columns: minmax(0, 1fr); }
.edit-edges .neighbours button:not(.icon-button) { margin: 0 0 0 -8px; width: auto; flex: 1; }
.edit-edges .neighbours li { gap: 4px; }
.edit-edges .neighbours input { flex: 0 1 92px; width: 92px; min-height: 30px; border-color: transparent; font-size: 12.5px; }
.edit-edges .neighbours :is(input:hover, input:focus) { border-color: var(--_edge-of-field); }
.edit-edges .icon-button { width: 28px; height: 28px; }
.edit-edges .icon-button .icon { width: 15px; }
.edit-foot {
  display: flex; align-items: center; gap: 8px; padding: 8px 12px; border-top: 1px solid var(--_border);
  background: var(--_surface); flex: none;
}
.edit-form.dirty .edit-foot { background: color-mix(in srgb, var(--_primary) 7%, var(--_surface)); }
.edit-status { flex: 1; margin: 0; font-size: 12.5px; line-height: 1.35; color: var(--_muted); overflow-wrap: anywhere; }
.edit-status[data-kind=problem] { color: var(--_danger); }
.edit-form.gone :is(.edit-edges, .edit-foot .icon-button) { display: none; }
.button:is(:disabled, [aria-disabled=true]) { opacity: 0.45; cursor: default; filter: none; }
.button.quiet { background: none; color: var(--_text); border: 1px solid var(--_border); font-weight: 500; }
.button.quiet:hover { background: var(--_raised); filter: none; }
.button.danger { background: var(--_danger); color: var(--_surface); }

.line-card {
  position: absolute; left: 0; top: 0; z-index: 3; width: 260px; padding: 8px 8px 12px 14px; display: grid; gap: 6px;
  background: var(--_surface); border: 1px solid var(--_border); border-radius: calc(var(--_radius) + 2px);
  box-shadow: var(--_shadow);
}
.line-card label { display: grid; gap: 4px; margin-right: 6px; }
.line-head { display: flex; align-items: center; gap: 2px; }
.line-head p { flex: 1; margin: 0; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }

.ask {
  width: min(420px, calc(100vw - 24px)); max-height: min(720px, calc(100dvh - 32px)); padding: 18px 20px; overflow: auto;
  color: var(--_text); background: var(--_surface); border: 1px solid var(--_border); border-radius: 14px;
  box-shadow: var(--_shadow);
}
.ask.wide { width: min(640px, calc(100vw - 24px)); }
.ask::backdrop { background: rgb(0 0 0 / 40%); }
.ask h2 { margin: 0 0 10px; font-size: 17px; line-height: 1.3; overflow-wrap: anywhere; }
.ask p { margin: 0 0 10px; }
.ask-answers { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-top: 14px; }
.ask-list { margin: 0 0 10px; padding-left: 20px; overflow-wrap: anywhere; }
.ask-types {
  list-style: none; margin: 8px -8px 0; padding: 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: 2px;
  max-height: min(420px, 50dvh); overflow: auto;
}
.ask-types li { display: flex; align-items: center; gap: 10px; padding: 0 8px; }
.ask-types li > button:only-child {
  display: flex; align-items: center; gap: 10px; flex: 1; min-width: 0; padding: 6px 8px; margin: 0 -8px;
}
.ask-types li > button:only-child:is(:hover, :focus-visible) { background: var(--_raised); }
.ask-sheets li { padding: 2px 8px; gap: 4px; }
.ask-sheets input { flex: 1; }
.type-form { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); }
.side-choice {
  margin: 0 0 12px; padding: 10px 12px; min-width: 0; border: 1px solid var(--_border); border-radius: var(--_radius);
}
.side-choice legend { padding: 0 6px; font-weight: 600; }
.side-choice dl { margin: 0; }
.sides { display: flex; flex-wrap: wrap; gap: 6px 18px; margin-top: 8px; }
.sides label { display: inline-flex; align-items: center; gap: 7px; cursor: pointer; min-height: 32px; font-weight: 500; }

@container (min-width: 900px) {
  .details:has(.edit-form) { width: 420px; }
  .root.with-details:has(.edit-form) .controls, .root.with-details:has(.edit-form).one-sheet .bar {
    transform: translateX(-420px);
  }
}
@container (max-width: 899px) {
  .with-details.one-sheet .edit-tools { top: 56px; }
  .with-details.one-sheet .group-bar { top: 102px; }
}
@container (max-width: 620px) {
  .one-sheet .edit-tools { top: 56px; }
  .group-bar { top: 62px; }
  .one-sheet .group-bar { top: 106px; }
  .edit-tools .icon-button, .new-node { height: 40px; min-width: 40px; }
  .new-node span { display: none; }
  .new-node { padding: 0 10px; }
  .details.tall ~ .edit-tools { display: none; }
  :is(.edit-form, .line-card) :is(input, select, textarea) { font-size: 16px; }
  .code-field { font-size: 14px; }
}
@container (max-width: 699px) {
  .edit-edges .icon-button { width: 40px; height: 40px; }
}

.live-bar {
  position: absolute; left: 12px; top: 58px; z-index: 1; display: flex; align-items: center; gap: 8px; min-height: 32px;
  max-width: calc(100% - 24px); padding: 3px 10px; font-size: 12.5px; color: var(--_muted); background: var(--_surface);
  border: 1px solid var(--_border); border-radius: calc(var(--_radius) + 2px); box-shadow: var(--_shadow);
  pointer-events: none;
}
.live-bar :is(button, li) { pointer-events: auto; }
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
  .one-sheet .surface:not(:has(.edit-tools)) .live-bar { top: 56px; }
  .group-bar:not([hidden]) ~ .live-bar, .details.tall ~ .live-bar { display: none; }
  .live-save { min-height: 40px; }
}
`);
