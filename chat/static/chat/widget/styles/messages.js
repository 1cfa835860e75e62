/* The list of messages, badges of tool calls, reasoning, errors, questions and the empty state. */

export const messagesCss = `
.messages { position: relative; flex: 1; min-block-size: 0; display: flex; }
.scroller {
  flex: 1; min-inline-size: 0; overflow-y: auto; overflow-anchor: none; overscroll-behavior: contain;
  scrollbar-width: thin; scrollbar-color: var(--c-border) transparent;
}
.scroller:focus-visible { outline-offset: -3px; }
.list {
  display: flex; flex-direction: column; gap: 18px; min-block-size: 100%; max-inline-size: 820px;
  margin-inline: auto; padding: 18px 16px 22px;
}
.older { align-self: center; }
.jump {
  position: absolute; inset-block-end: 12px; inset-inline-start: 50%; translate: -50% 0;
  display: inline-flex; align-items: center; gap: 6px; padding: 6px 13px 6px 10px; border: 1px solid var(--c-border);
  border-radius: 99px;
  background: var(--c-surface); box-shadow: 0 3px 14px rgb(0 0 0 / .16); font-size: 13px; font-weight: 550;
}
.jump:hover { background: var(--c-surface-2); }

.message { min-inline-size: 0; }
.user {
  align-self: flex-end; max-inline-size: min(85%, 620px); display: flex; flex-direction: column;
  align-items: flex-end;
}
.bubble-text {
  padding: 8px 13px; border-radius: 16px 16px 5px 16px; background: var(--c-tint); color: var(--c-text);
  white-space: pre-wrap; overflow-wrap: anywhere; max-inline-size: 100%;
}
.author { padding: 0 4px 2px; font-size: 11.5px; color: var(--c-muted); }
.author:empty { display: none; }
.list.of-another .keeping { display: none; }
.unsent .bubble-text { opacity: .65; }
.sending { font-size: 11.5px; color: var(--c-muted); padding-block-start: 3px; }
.sending:empty { display: none; }
.assistant { display: flex; flex-direction: column; gap: 9px; }

.tools { display: flex; flex-wrap: wrap; gap: 6px; }
.tool { min-inline-size: 0; max-inline-size: 100%; }
.tool.open { inline-size: 100%; border: 1px solid var(--c-border); border-radius: var(--c-radius); overflow: hidden; }
.tool-badge {
  display: inline-flex; align-items: center; gap: 6px; max-inline-size: 100%; padding: 3px 9px 3px 8px;
  min-block-size: 28px;
  border: 1px solid var(--c-border); border-radius: 99px; background: var(--c-surface); color: var(--c-muted);
  font-size: 12.5px; line-height: 1.4;
}
.tool-badge:hover { background: var(--c-surface-2); color: var(--c-text); }
.tool.open > .tool-badge {
  inline-size: 100%; border-width: 0 0 1px; border-radius: 0; padding: 6px 10px; background: var(--c-surface-2);
  color: var(--c-text);
}
.tool.open > .tool-badge:focus-visible { outline-offset: -2px; }
.tool-mark { display: grid; place-items: center; inline-size: 15px; block-size: 15px; color: var(--c-primary); }
.tool-mark .icon { inline-size: 15px; block-size: 15px; }
[data-status="error"] > .tool-badge .tool-mark { color: var(--c-danger); }
[data-status="stopped"] > .tool-badge .tool-mark { color: var(--c-muted); }
.tool-name { white-space: nowrap; }
.tool-subject {
  min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--c-text);
  font-weight: 550;
}
.tool-subject:empty { display: none; }
.tool-badge .icon-chevron { inline-size: 12px; margin-inline-start: auto; transition: transform .15s; }
.tool.open > .tool-badge .icon-chevron { transform: rotate(180deg); }
.tool-details { padding: 8px 10px 10px; background: var(--c-surface); }
.tool-part + .tool-part { margin-block-start: 8px; }
.tool-part h4 { font-size: 11.5px; font-weight: 600; color: var(--c-muted); margin-block-end: 3px; }
.tool-part pre {
  margin: 0; max-block-size: 260px; overflow: auto; padding: 8px 10px; border-radius: 6px; background: var(--c-code);
  font: 12px/1.5 var(--c-mono); white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2;
}
.spinner {
  inline-size: 12px; block-size: 12px; border: 2px solid color-mix(in srgb, var(--c-primary) 25%, transparent);
  border-block-start-color: var(--c-primary); border-radius: 50%; animation: spin .8s linear infinite;
}

.reasoning { font-size: 13px; color: var(--c-muted); }
.reasoning summary {
  display: inline-flex; align-items: center; gap: 6px; padding: 2px 6px; margin-inline-start: -6px;
  border-radius: 6px; cursor: pointer; list-style: none;
}
.reasoning summary::-webkit-details-marker { display: none; }
.reasoning summary:hover { background: var(--c-hover); }
.reasoning summary .icon-chevron { inline-size: 12px; transition: transform .15s; }
.reasoning[open] summary .icon-chevron { transform: rotate(180deg); }
.reasoning.live summary .icon-thought { animation: pulse 1.4s ease-in-out infinite; }
.reasoning-text {
  margin-block-start: 5px; padding-inline-start: 12px; border-inline-start: 2px solid var(--c-border);
  white-space: pre-wrap; overflow-wrap: anywhere; max-block-size: 320px; overflow-y: auto;
}

.progress {
  display: flex; align-items: center; gap: 9px; min-block-size: 24px; font-size: 13.5px; color: var(--c-muted);
}
.progress.queued {
  align-self: flex-end; padding: 2px 10px; border: 1px dashed var(--c-border); border-radius: 99px;
  font-size: 12.5px;
}
.dots { display: inline-flex; gap: 4px; }
.dots i {
  inline-size: 6px; block-size: 6px; border-radius: 50%; background: var(--c-primary);
  animation: hop 1.2s ease-in-out infinite;
}
.dots i:nth-child(2) { animation-delay: .15s; }
.dots i:nth-child(3) { animation-delay: .3s; }
@keyframes hop { 0%, 60%, 100% { opacity: .3; transform: none; } 30% { opacity: 1; transform: translateY(-3px); } }

.error {
  display: flex; align-items: center; gap: 9px; padding: 9px 12px; border-radius: var(--c-radius); font-size: 13.5px;
  background: color-mix(in srgb, var(--c-danger) 9%, var(--c-surface));
  border: 1px solid color-mix(in srgb, var(--c-danger) 28%, var(--c-surface));
}
.error p { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; }
.error:has(.tries) { flex-wrap: wrap; }
.error:has(.tries) p { flex: 1 1 60%; }
.tries, .try-model { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; min-inline-size: 0; }
.tries .field { inline-size: auto; max-inline-size: 100%; }
.error > .icon { color: var(--c-danger); }
.ask {
  padding: 12px 14px; border: 1px solid color-mix(in srgb, var(--c-primary) 35%, var(--c-border));
  border-radius: var(--c-radius); background: color-mix(in srgb, var(--c-primary) 5%, var(--c-surface));
}
.ask[inert] { opacity: .6; }
.ask > p { display: flex; gap: 8px; margin-block-end: 10px; overflow-wrap: anywhere; }
.ask > p .icon { margin-block-start: 3px; color: var(--c-primary); }
.ask-choices, .ask-form { display: flex; flex-wrap: wrap; gap: 8px; }
.ask-choices .button { text-align: start; overflow-wrap: anywhere; }
.ask-options { display: grid; gap: 4px; margin-block-end: 10px; }
.ask-option { display: flex; align-items: baseline; gap: 8px; cursor: pointer; }
.ask-option input { accent-color: var(--c-primary); }
.message-footer {
  display: flex; align-items: center; gap: 4px; min-block-size: 26px; margin-block-start: -4px;
  margin-inline-start: -6px; font-size: 12px; color: var(--c-muted);
}
.message-footer .icon-button { inline-size: 26px; block-size: 26px; }
.message-footer .icon { inline-size: 14px; }
.facts { min-inline-size: 0; overflow-wrap: anywhere; padding-inline-start: 2px; }

.keeping { display: inline-flex; align-items: center; gap: 2px; font-size: 12px; color: var(--c-muted); }
.keeping .icon-button { inline-size: 26px; block-size: 26px; }
.keeping .icon { inline-size: 14px; }
.keeping [aria-pressed="true"] { color: var(--c-primary); background: var(--c-tint); }
.kept:empty { display: none; }
.kept { padding-inline: 2px 4px; font-weight: 550; white-space: nowrap; }
.left-out > .bubble-text, .left-out > .markdown { opacity: .55; }
.user .keeping { margin-block-start: 2px; }
@media (hover: hover) {
  .message .keeping:not(.chosen) .icon-button { opacity: 0; transition: opacity .12s; }
  .user .keeping:not(.chosen) { margin-block-end: -22px; }
  .message:hover .keeping .icon-button, .message:focus-within .keeping .icon-button { opacity: 1; }
}
.rating { display: inline-flex; gap: 2px; }
.rating [aria-pressed="true"], .rating [aria-expanded="true"] { color: var(--c-primary); background: var(--c-tint); }
.rating-form { display: flex; flex-wrap: wrap; gap: 6px; }
.rating-form[hidden] { display: none; }
.rating-form .field { flex: 1 1 180px; min-inline-size: 0; }
.summarised { font-size: 13px; color: var(--c-muted); }
.summarised summary {
  display: flex; align-items: center; gap: 8px; min-block-size: 28px; cursor: pointer; list-style: none;
}
.summarised summary::-webkit-details-marker { display: none; }
.summarised summary::before, .summarised summary::after {
  content: ""; flex: 1; min-inline-size: 16px; block-size: 1px; background: var(--c-border);
}
.summarised summary span { text-align: center; text-wrap: balance; }
.summarised summary:hover { color: var(--c-text); }
.summarised .icon { display: inline-block; inline-size: 14px; block-size: 14px; margin-inline: 2px; vertical-align: -2px; }
.summarised .icon-chevron { transition: transform .15s; }
.summarised[open] .icon-chevron { transform: rotate(180deg); }
.summary-about { margin-block: 6px; }
.summary-text {
  padding: 8px 12px; border: 1px solid var(--c-border); border-radius: var(--c-radius); background: var(--c-surface-2);
  color: var(--c-text); white-space: pre-wrap; overflow-wrap: anywhere; max-block-size: 320px; overflow-y: auto;
}

.empty { margin: auto; inline-size: 100%; max-inline-size: 420px; padding: 12px 4px; text-align: center; }
.empty-icon {
  display: grid; place-items: center; inline-size: 52px; block-size: 52px; margin: 0 auto 12px; border-radius: 16px;
  color: var(--c-primary); background: var(--c-tint);
}
.empty-icon .icon { inline-size: 28px; block-size: 28px; }
.empty h3 { font-size: 18px; font-weight: 650; letter-spacing: -.01em; }
.empty p { margin-block: 4px 18px; font-size: 14px; text-wrap: balance; }
.suggestions { display: grid; gap: 8px; }
.suggestion {
  display: flex; align-items: center; gap: 10px; padding: 10px 13px; text-align: start; line-height: 1.4;
  border: 1px solid var(--c-border); border-radius: 10px; background: var(--c-surface);
}
.suggestion .icon { color: var(--c-primary); }
.suggestion:hover {
  border-color: color-mix(in srgb, var(--c-primary) 50%, var(--c-border));
  background: color-mix(in srgb, var(--c-primary) 5%, var(--c-surface));
}
.skeleton { display: grid; gap: 12px; padding-block: 8px; animation: appear .2s .25s both; }
@keyframes appear { from { opacity: 0; } }
.skeleton i {
  block-size: 14px; border-radius: 6px; background: var(--c-surface-2); animation: pulse 1.4s ease-in-out infinite;
}
.skeleton i:nth-child(2) { inline-size: 85%; }
.skeleton i:nth-child(3) { inline-size: 55%; }
`;
