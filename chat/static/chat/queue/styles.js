/* The list of the queue, on its page and in the chat panel. */

export const queueCss = `
.queue { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; container-type: inline-size; }
.entries { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; padding: 0; list-style: none; }
.entry {
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 6px; padding: 12px 14px; border: 1px solid var(--c-border);
  border-radius: 12px; background: var(--c-surface);
}
.entry-head { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 9px; align-items: baseline; }
.entry-kind { align-self: center; display: grid; color: var(--c-primary); }
.entry-title { font-weight: 600; overflow-wrap: anywhere; }
.entry-state {
  padding: 1px 9px; border-radius: 99px; background: var(--c-surface-2); color: var(--c-muted); font-size: 12.5px;
  font-weight: 600; white-space: nowrap;
}
[data-state="running"] .entry-state { background: var(--c-tint); color: var(--c-primary); }
[data-state="paused"] .entry-state { color: var(--c-warning); }
[data-state="failed"] .entry-state { color: var(--c-danger); }
.entry-about, .entry-reason { font-size: 13px; color: var(--c-muted); overflow-wrap: anywhere; }
[data-state="failed"] .entry-reason { color: var(--c-text); }
.entry-progress { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; align-items: center; }
.entry-progress progress { inline-size: 100%; block-size: 8px; accent-color: var(--c-primary); }
.entry-count { font-size: 12.5px; color: var(--c-muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
.entry-buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: 2px; }
.live-answer {
  max-block-size: 22rem; overflow: auto; padding: 12px 14px; border-radius: var(--c-radius); background: var(--c-bg);
  overscroll-behavior: contain; scrollbar-width: thin;
}
.queue-note, .queue-failure {
  display: flex; align-items: center; gap: 10px; padding: 10px 14px; border-radius: var(--c-radius); font-size: 13.5px;
  background: color-mix(in srgb, var(--c-warning) 12%, var(--c-surface));
}
.queue-failure p { flex: 1; }
.queue-empty {
  display: grid; justify-items: center; gap: 6px; padding: 48px 20px; border: 1px solid var(--c-border);
  border-radius: 12px; background: var(--c-surface); text-align: center;
}
.queue-empty .icon { inline-size: 34px; block-size: 34px; color: var(--c-success); }
.queue-empty h2 { font-size: 17px; }
`;
