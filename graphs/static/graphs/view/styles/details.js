// How the details panel looks: beside the drawing where there is room, a sheet from below where there is not.

import { stylesheet } from "../../stylesheet.js";

export const details = stylesheet(`
.details {
  position: absolute; top: 0; right: 0; bottom: 0; width: 360px; display: flex; flex-direction: column;
  background: var(--_surface); border-left: 1px solid var(--_border); z-index: 2; outline-offset: -2px;
  animation: from-side 160ms ease-out;
}
@keyframes from-side { from { transform: translateX(24px); opacity: 0; } }
@keyframes from-below { from { transform: translateY(32px); opacity: 0; } }
.details header {
  display: flex; align-items: flex-start; gap: 11px; padding: 14px 10px 12px 16px;
  border-bottom: 1px solid var(--_border);
}
.details .title { flex: 1; min-width: 0; }
.details h2 {
  margin: 0; font-size: 16px; line-height: 1.3; overflow-wrap: anywhere; display: -webkit-box; -webkit-line-clamp: 3;
  -webkit-box-orient: vertical; overflow: hidden;
}
.details .key { display: flex; align-items: center; gap: 2px; color: var(--_muted); font-size: 12px; min-width: 0; }
.details .key code { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.details .key .icon-button, .section-head .icon-button { width: 26px; height: 26px; }
.details .key .icon, .section-head .icon { width: 15px; height: 15px; }
.icon-button.done { color: var(--success, #1a7a3f); }
.details code, .details pre { font-family: var(--_mono); }
.taller { display: none; }
.details-body { flex: 1; min-height: 0; overflow: auto; padding: 12px 16px 24px; overscroll-behavior: contain; }
.type-line { display: flex; align-items: center; gap: 8px; margin: 0; }
.description { margin: 4px 0 0; color: var(--_muted); }
.chip {
  font-size: 11.5px; color: var(--_muted); background: var(--_raised); border-radius: 99px; padding: 1px 8px;
  white-space: nowrap;
}
.details dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 14px; margin: 10px 0 0; font-size: 13px; }
.details dt { color: var(--_muted); }
.details dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.details dd code { font-size: 12px; }
.details section { margin-top: 20px; }
.section-head { display: flex; align-items: center; gap: 8px; min-height: 28px; margin-bottom: 4px; }
.section-head h3 {
  margin: 0; font-size: 12px; font-weight: 650; color: var(--_muted); letter-spacing: 0.02em; flex: 1;
}
.details pre {
  margin: 0; padding: 11px 13px; max-height: 360px; overflow: auto; font-size: 12.5px; line-height: 1.55;
  background: var(--_code); border: 1px solid var(--_border); border-radius: var(--_radius); tab-size: 2;
}
.note-content { white-space: pre-wrap; overflow-wrap: anywhere; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows li { display: flex; align-items: center; gap: 10px; }
.handles li { padding: 4px 0; }
.direction {
  font-size: 11px; font-weight: 600; min-width: 34px; text-align: center; border-radius: 99px; padding: 1px 7px;
  background: var(--_raised); color: var(--_muted);
}
.neighbours button {
  display: flex; align-items: center; gap: 10px; width: 100%; padding: 5px 8px; margin: 0 -8px;
  width: calc(100% + 16px); min-width: 0;
}
.neighbours button:hover { background: var(--_raised); }
.neighbours .link { width: auto; }
.link {
  color: var(--_primary); font-size: 12.5px; padding: 2px 4px; text-decoration: underline; text-underline-offset: 2px;
}

.json-tree { font-family: var(--_mono); font-size: 12.5px; line-height: 1.55; overflow-wrap: anywhere; }
.json-tree summary {
  cursor: pointer; display: flex; gap: 8px; align-items: baseline; border-radius: 4px; list-style: none; padding: 1px 0;
}
.json-tree summary::-webkit-details-marker { display: none; }
.json-tree summary::before {
  content: ""; flex: none; border: 4px solid transparent; border-left: 5px solid var(--_muted); border-right: 0;
  transition: transform 100ms;
}
.json-tree details[open] > summary::before { transform: rotate(90deg); }
.json-tree summary .muted { font-size: 11.5px; white-space: nowrap; }
.json-tree .inner { padding-left: 14px; margin-left: 2px; border-left: 1px solid var(--_border); }
.json-tree .leaf { padding: 1px 0 1px 13px; white-space: pre-wrap; }
.json-tree .leaf .code-property { margin-right: 9px; }
.code-keyword, .code-constant { color: var(--code-keyword); }
.code-string { color: var(--code-string); }
.code-number { color: var(--code-number); }
.code-comment { color: var(--code-comment); font-style: italic; }
.code-call { color: var(--code-call); }
.code-property { color: var(--code-property); }

@container (min-width: 700px) {
  .root.with-details .controls, .root.with-details.one-sheet .bar { transform: translateX(-360px); }
  .root.with-details .help-card { right: 372px; }
}
@container (max-width: 699px) {
  .details {
    left: 0; top: auto; width: auto; height: 58%; border-left: 0; border-top: 1px solid var(--_border);
    border-radius: 14px 14px 0 0; box-shadow: 0 -8px 30px rgb(0 0 0 / 18%); animation-name: from-below;
  }
  .details.tall { height: calc(100% - 12px); }
  .taller { display: inline-grid; }
  .tall .taller { transform: rotate(180deg); }
  .details .icon-button { min-width: 36px; min-height: 36px; }
  .root.with-details .controls { display: none; }
}
@media (prefers-reduced-motion: reduce) { .details { animation: none; } }
`);
