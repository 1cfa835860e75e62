/* Cards of proposals and the bar that undoes them, in the widget's colours. */

export const proposalsCss = `
.proposals { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
.proposals-all { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; font-size: 13.5px; }
.proposals-all span { flex: 1 1 10em; font-weight: 600; }
.proposal {
  display: flex; flex-direction: column; gap: 8px; min-inline-size: 0; padding: 12px 14px;
  border-radius: var(--c-radius);
  border: 1px solid var(--c-border); background: var(--c-surface); scroll-margin: 16px;
}
.proposal:focus-visible { outline-offset: 1px; }
.proposal[data-status="pending"] {
  border-color: color-mix(in srgb, var(--c-primary) 45%, var(--c-border));
  background: color-mix(in srgb, var(--c-primary) 4%, var(--c-surface));
}
.flash { animation: flash 1.2s ease-out; }
@keyframes flash { from { box-shadow: 0 0 0 4px color-mix(in srgb, var(--c-primary) 45%, transparent); } }
.proposal-head { display: flex; align-items: baseline; gap: 8px; }
.proposal-head h4 {
  flex: 1; min-inline-size: 0; font-size: 14.5px; font-weight: 650; line-height: 1.4; overflow-wrap: anywhere;
}
.proposal-sign { align-self: flex-start; margin-block-start: 2px; color: var(--c-primary); }
.proposal-sign .icon { display: block; }
[data-status="applied"] .proposal-sign { color: var(--c-success); }
:is([data-status="stale"], [data-status="failed"]) .proposal-sign { color: var(--c-warning); }
:is([data-status="undone"], [data-status="rejected"], [data-status="expired"], [data-status="cancelled"]) .proposal-sign {
  color: var(--c-muted);
}
.proposal-status {
  flex: none; padding: 1px 8px; border-radius: 99px; font-size: 12px; color: var(--c-muted);
  background: var(--c-surface-2);
}
[data-status="pending"] .proposal-status { color: var(--c-primary); background: var(--c-tint); }
.proposal-reason { overflow-wrap: anywhere; white-space: pre-wrap; max-block-size: 12em; overflow-y: auto; }
.proposal-diff.edited { padding-inline-start: 10px; border-inline-start: 3px solid var(--c-primary); }
.proposal-diff > summary { cursor: pointer; font-size: 13px; color: var(--c-muted); }
.proposal-diff[open] > summary { margin-block-end: 4px; }
.proposal-facts {
  display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; font-size: 12.5px; color: var(--c-muted);
}
.proposal-actions { display: flex; flex-wrap: wrap; gap: 8px; }
.proposal-busy {
  display: flex; align-items: center; gap: 10px; min-block-size: 32px; color: var(--c-muted); font-size: 13.5px;
}
.proposal-outcome { font-size: 13px; color: var(--c-muted); }
.proposal-outcome q {
  display: block; margin-block-start: 3px; color: var(--c-text); overflow-wrap: anywhere; white-space: pre-wrap;
}
.proposal-problem { font-size: 13px; color: var(--c-danger); overflow-wrap: anywhere; }
.proposal-problem:empty { display: none; }
.proposal-form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; }
.proposal-field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 3px; }
.proposal-field label { font-size: 12.5px; font-weight: 550; color: var(--c-muted); }
.proposal-form textarea { resize: vertical; inline-size: 100%; line-height: 1.5; }
.proposal-form .code { font: 12.5px/1.5 var(--c-mono); tab-size: 4; white-space: pre; }
.proposal-form [aria-invalid="true"] { border-color: var(--c-danger); }
.conflicts { margin: 0; padding-inline-start: 1.2em; font-size: 13px; overflow-wrap: anywhere; }
div.conflicts { display: grid; gap: 4px; padding: 0; max-block-size: 12em; overflow-y: auto; }
.conflict { display: flex; align-items: baseline; gap: 8px; cursor: pointer; }
.conflict-sides { display: grid; gap: 2px; margin-block: 4px; font: 12px/1.5 var(--c-mono); }
.conflict-sides > * {
  max-block-size: 11em; overflow-y: auto; padding: 3px 8px; border-radius: 5px; white-space: pre-wrap; text-decoration: none;
}
.conflict-sides del { background: color-mix(in srgb, var(--c-danger) 12%, transparent); }
.conflict-sides ins { background: color-mix(in srgb, var(--c-success) 14%, transparent); }
.conflict input { accent-color: var(--c-primary); }
.others { flex: none; max-block-size: 55%; overflow-y: auto; border-block-start: 1px solid var(--c-border); }
.others > summary {
  display: flex; align-items: center; gap: 8px; padding: 8px 14px; cursor: pointer; list-style: none;
  font-size: 13.5px; font-weight: 550; background: var(--c-tint);
}
.others > summary::-webkit-details-marker { display: none; }
.others > summary .icon { color: var(--c-primary); }
.others > summary .icon-chevron { margin-inline-start: auto; transform: rotate(180deg); }
.others[open] > summary .icon-chevron { transform: none; }
.others > .proposals { padding: 10px 14px; }
.changes { display: flex; align-items: center; gap: 6px; font-size: 13px; font-weight: 550; color: var(--c-success); }
.undo-bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; flex: none; padding: 8px 10px 8px 14px;
  font-size: 13.5px;
  border-block-start: 1px solid var(--c-border); background: var(--c-surface-2); color: var(--c-text);
}
.undo-bar p { flex: 1 1 8em; min-inline-size: 0; overflow-wrap: anywhere; margin: 0; }
.undo-bar > .icon { color: var(--c-success); }
.undo-bar > .icon-warning { color: var(--c-warning); }
.undo-choice { flex: 1 0 100%; display: grid; gap: 8px; padding-block-end: 4px; }
`;
