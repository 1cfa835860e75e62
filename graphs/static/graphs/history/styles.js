// How the history looks, with the page's own buttons, fields and colours.

import { stylesheet } from "../stylesheet.js";

export const historySheet = stylesheet(`
graph-history { flex: 1; display: block; min-height: 0; overflow: auto; border-top: 1px solid var(--border); }
.history {
  max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; display: grid; gap: 0.9rem;
  grid-template-columns: minmax(0, 1fr);
}
.history-exports { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; font-size: 0.875rem; color: var(--muted); }
.history-filters { display: flex; flex-wrap: wrap; align-items: end; gap: 0.6rem 0.75rem; }
.history-filter { display: grid; gap: 0.15rem; flex: 1 1 8rem; min-width: 0; font-size: 0.85rem; }
.history-filter :is(input, select) {
  min-height: 36px; width: 100%; padding: 0.2rem 0.5rem; border: 1px solid var(--border-strong);
  border-radius: var(--radius); background: var(--surface); color: inherit; font: inherit; font-weight: 400;
}
.history-only { flex-basis: 100%; color: var(--text-muted); font-size: 0.9rem; }
.history-comparing:not(:has(> :not([hidden]))) { display: none; }
.history-bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; position: sticky; top: 0; z-index: 2;
  padding: 0.6rem 0.9rem; border: 1px solid var(--border); border-radius: var(--radius); background: var(--surface);
  box-shadow: var(--shadow);
}
.history-compared { margin-top: 0.9rem; padding: 1rem 1.1rem; }
.history-compared:focus { outline: none; }
.history-compared-head {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem; margin-bottom: 0.6rem;
}
.history-list { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: minmax(0, 1fr); }
.history-entry {
  display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 0.8rem; padding: 0.9rem 0;
  border-top: 1px solid var(--border); scroll-margin-top: 4rem;
}
.history-entry:first-child { border-top: 0; }
.history-entry.fresh { animation: history-fresh 2.4s ease-out; }
@keyframes history-fresh { from { background: var(--primary-soft); } }
.history-origin {
  display: grid; place-items: center; width: 34px; height: 34px; border-radius: 50%; background: var(--surface-2);
  color: var(--text-muted);
}
.history-origin .icon {
  fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round;
}
.history-what { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.3rem; min-width: 0; }
.history-what h3 { font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
.history-reason { overflow-wrap: anywhere; white-space: pre-line; }
.history-meta { display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; color: var(--text-muted); font-size: 0.88rem; }
.history-meta strong { color: var(--text); font-weight: 600; }
.history-undone { color: var(--warning); }
.history-tools { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; margin-top: 0.2rem; }
.history-tools .button[aria-expanded="true"] { background: var(--surface-2); }
.history-compare {
  display: inline-flex; align-items: center; gap: 0.4rem; min-height: 32px; font-size: 0.9rem; font-weight: 400;
}
.history-menu summary { min-height: 32px; border: 1px solid var(--border); font-size: 0.9rem; }
.history-menu .menu-panel { inset-inline: 0 auto; min-width: 15rem; }
.history-diff { padding: 0.6rem 0 0.2rem; }
.history-more { justify-self: center; }
.history-unsaved { margin: 0 0 0.75rem; color: var(--text-muted); }
.history-nothing { padding: 3rem 1rem; text-align: center; color: var(--text-muted); }
.history-said { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 1rem; }

.rollback {
  width: min(46rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); padding: 1.25rem 1.4rem;
  border: 1px solid var(--border);
  border-radius: calc(var(--radius) + 4px); background: var(--surface); color: var(--text); overflow: auto; }
.rollback::backdrop { background: rgb(10 14 25 / 45%); }
.rollback[open] { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.9rem; }
.rollback h3 { font-size: 0.95rem; margin: 0 0 0.4rem; }
.rollback > div:empty { display: none; }
.rollback-result { max-height: 45dvh; overflow: auto; }
.rollback-conflicts { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.4rem; }
.rollback-conflicts li {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.8rem; overflow-wrap: anywhere;
}
.rollback-parts label {
  display: flex; gap: 0.5rem; align-items: baseline; padding: 0.15rem 0; font-weight: 400; overflow-wrap: anywhere;
}
.rollback-parts summary { cursor: pointer; min-height: 32px; }

@media (max-width: 640px) {
  .history { padding: 0.9rem 0.9rem 3rem; }
  .history-filter { flex-basis: 40%; }
  .history-entry { grid-template-columns: minmax(0, 1fr); }
  .history-origin { display: none; }
  .history-tools .button, .history-compare { min-height: 40px; }
  .history-tools { position: relative; }
  .history-menu { position: static; }
  .history-menu .menu-panel { inset-inline: 0; }
}
@media (prefers-reduced-motion: reduce) { .history-entry.fresh { animation: none; } }
`);
