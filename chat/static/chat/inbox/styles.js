/* The inbox: a list and one card beside it; on a small screen one after the other. */

import { diffSheet } from "../../graphs/diff.js";
import { stylesheet } from "../../graphs/stylesheet.js";
import { proposalsCss } from "../proposals/styles.js";
import { panelCss } from "../widget/styles/panel.js";

const inboxCss = `
:host { display: block; block-size: auto; }
.inbox { display: grid; grid-template-columns: minmax(0, 21rem) minmax(0, 1fr); gap: 18px; align-items: start; }
.inbox-list {
  display: grid; gap: 2px; padding: 5px; border: 1px solid var(--c-border); border-radius: 12px;
  background: var(--c-surface);
  max-block-size: calc(100dvh - 13rem); overflow-y: auto; scrollbar-width: thin;
}
.inbox-list:focus-visible { outline: none; }
.nothing .inbox-list { display: none; }
.inbox.nothing { grid-template-columns: minmax(0, 1fr); }
.line {
  display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 9px; align-items: baseline; padding: 8px 10px;
  border-radius: var(--c-radius); cursor: pointer; scroll-margin: 6px;
}
.line:hover { background: var(--c-hover); }
.line[aria-selected="true"] { background: var(--c-tint); }
.inbox-list:focus-visible .line[aria-selected="true"] { outline: 2px solid var(--c-focus); outline-offset: -2px; }
.line .icon { align-self: center; color: var(--c-primary); }
.line[data-status="applied"] .icon { color: var(--c-success); }
.line:not([data-status="pending"]) .line-title { color: var(--c-muted); font-weight: 450; }
.line-title { font-weight: 600; overflow-wrap: anywhere; }
.line-about { grid-column: 2 / -1; font-size: 12.5px; color: var(--c-muted); overflow-wrap: anywhere; }
.inbox-side {
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; justify-items: stretch; min-inline-size: 0;
}
.inbox-side .proposal { padding: 18px 20px; border-radius: 12px; }
.inbox-keys { justify-self: start; border: 0; background: none; color: var(--c-muted); font-size: 12.5px; }
.inbox-back { justify-self: start; display: none; }
.inbox-help {
  display: grid; grid-template-columns: auto 1fr; gap: 5px 14px; margin: 0; padding: 12px 16px; border-radius: 12px;
  border: 1px solid var(--c-border); background: var(--c-surface); font-size: 13px;
}
.inbox-help dd { margin: 0; }
kbd {
  padding: 1px 6px; border: 1px solid var(--c-border); border-radius: 5px; background: var(--c-surface-2);
  font: 12px var(--c-mono); white-space: nowrap;
}
.inbox-empty {
  display: grid; justify-items: center; gap: 6px; padding: 48px 20px; border: 1px solid var(--c-border);
  border-radius: 12px;
  background: var(--c-surface); text-align: center;
}
.inbox-empty .icon { inline-size: 34px; block-size: 34px; color: var(--c-success); }
.inbox-empty h2 { font-size: 17px; }
.nothing .inbox-keys { display: none; }
.undo-bar {
  position: fixed; z-index: 800; inset-block-end: 16px; inset-inline: 0; margin-inline: auto; border-radius: 12px;
  inline-size: fit-content; max-inline-size: min(560px, calc(100vw - 24px)); border: 1px solid var(--c-border);
  background: var(--c-surface); box-shadow: 0 10px 40px rgb(0 0 0 / .22);
}
@media (max-width: 760px) {
  .undo-bar { inset-block-end: 88px; }
  .inbox { grid-template-columns: minmax(0, 1fr); }
  .inbox-list { max-block-size: none; }
  .inbox:not(.detail-open) .inbox-side > :not(.inbox-keys, .inbox-help) { display: none; }
  .nothing .inbox-side > .inbox-detail { display: block !important; }
  .detail-open .inbox-list { display: none; }
  .detail-open .inbox-back { display: inline-flex; }
  .inbox-side .proposal { padding: 14px; }
}
`;

export const inboxSheets = [diffSheet, ...[panelCss, proposalsCss, inboxCss].map(stylesheet)];
