/* Colours, buttons, the frame of the panel and its header. The page's custom properties win over the fallbacks. */

export const panelCss = `
:host {
  --c-bg: var(--bg, light-dark(#f7f7f8, #131417));
  --c-surface: var(--surface, light-dark(#ffffff, #1b1d21));
  --c-surface-2: var(--surface-2, light-dark(#f1f2f4, #25282d));
  --c-text: var(--text, light-dark(#1c1e21, #e8eaed));
  --c-muted: var(--text-muted, light-dark(#5f6670, #9aa1ab));
  --c-border: var(--border, light-dark(#dfe2e6, #33373e));
  --c-primary: var(--primary, light-dark(#3557d6, #8ea6ff));
  --c-on-primary: var(--on-primary, light-dark(#ffffff, #10152b));
  --c-danger: var(--danger, light-dark(#b3261e, #ff8a80));
  --c-warning: var(--warning, light-dark(#9a5b00, #f2b75c));
  --c-success: var(--success, light-dark(#1b7f4b, #5fd39a));
  --c-focus: var(--focus, light-dark(#3557d6, #8ea6ff));
  --c-code: var(--code-bg, light-dark(#f4f5f7, #15171a));
  --c-shadow: var(--shadow, 0 8px 30px rgb(0 0 0 / .18));
  --c-radius: var(--radius, 8px);
  --c-font: var(--font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  --c-mono: var(--mono, ui-monospace, "SF Mono", Menlo, Consolas, monospace);
  --c-tint: color-mix(in srgb, var(--c-primary) 12%, var(--c-surface));
  --c-hover: color-mix(in srgb, var(--c-text) 7%, transparent);
  display: block;
  block-size: 100%;
  min-block-size: 0;
  color: var(--c-text);
  font: 14.5px/1.55 var(--c-font);
  -webkit-font-smoothing: antialiased;
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
button, input, select, textarea { font: inherit; color: inherit; }
button { cursor: pointer; }
button:disabled { cursor: default; }
p, h2, h3, h4, ul { margin: 0; }
:focus-visible { outline: 2px solid var(--c-focus); outline-offset: 2px; }
::placeholder { color: var(--c-muted); opacity: 1; }
.unseen {
  position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
.muted { color: var(--c-muted); }
.icon {
  inline-size: 1.15em; block-size: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.75;
  stroke-linecap: round; stroke-linejoin: round;
}

.panel {
  position: relative; display: flex; flex-direction: column;
  block-size: 100%; min-block-size: 0; max-block-size: 100dvh; overflow: hidden;
  background: var(--c-surface);
}
.header {
  display: flex; align-items: center; gap: 8px; flex: none;
  padding: 9px 10px 9px 14px; border-block-end: 1px solid var(--c-border);
}
.tabs { display: flex; flex: none; gap: 2px; padding: 4px 10px 0; border-block-end: 1px solid var(--c-border); }
.tab {
  padding: 4px 12px 6px; border: 0; border-block-end: 2px solid transparent; background: none; color: var(--c-muted);
  font-size: 13px; font-weight: 600;
}
.tab:hover { color: var(--c-text); }
.tab[aria-selected="true"] { border-block-end-color: var(--c-primary); color: var(--c-text); }
.tab:focus-visible { outline-offset: -2px; }
.queue-tab { flex: 1; min-block-size: 0; overflow-y: auto; padding: 14px; scrollbar-width: thin; }
.queue-tab > .link { display: inline-block; margin-block-start: 12px; }
.panel[data-tab="chat"] > .queue-tab { display: none; }
.panel[data-tab="queue"] > :not(.header, .tabs, .queue-tab, .banner, .unseen) { display: none; }
.avatar {
  display: grid; place-items: center; flex: none; inline-size: 32px; block-size: 32px; border-radius: 10px;
  color: var(--c-primary); background: var(--c-tint);
}
.heading { flex: 1; min-inline-size: 0; }
.title-frame { font: inherit; line-height: 1.3; display: flex; }
.title {
  display: inline-flex; align-items: center; gap: 4px; min-inline-size: 0; max-inline-size: 100%;
  padding: 1px 5px; margin-inline-start: -5px; border: 0; border-radius: 6px; background: none;
  font-weight: 600; line-height: 1.35;
}
.title:hover { background: var(--c-hover); }
.title .icon { inline-size: .95em; color: var(--c-muted); transition: transform .15s; }
.title[aria-expanded="true"] .icon { transform: rotate(180deg); }
.title-text { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.conversation-usage { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; font-variant-numeric: tabular-nums; }
.conversation-usage:not(:empty)::before { content: "· "; }
.connection {
  display: flex; align-items: center; gap: 6px; min-inline-size: 0; font-size: 12px; line-height: 1.4;
  color: var(--c-muted);
}
.shared-by:empty { display: none; }
.dot { inline-size: 7px; block-size: 7px; border-radius: 50%; background: var(--c-muted); }
[data-connection="open"] .dot { background: var(--c-success); }
[data-connection="waiting"] .dot, [data-connection="connecting"] .dot {
  background: var(--c-warning); animation: pulse 1.2s ease-in-out infinite;
}
[data-connection="offline"] .dot, [data-connection="signed-out"] .dot, [data-connection="ended"] .dot {
  background: var(--c-danger);
}

.icon-button {
  display: inline-grid; place-items: center; flex: none; inline-size: 32px; block-size: 32px; padding: 0;
  border: 0; border-radius: var(--c-radius); background: none; color: var(--c-muted);
}
.icon-button:hover { background: var(--c-hover); color: var(--c-text); }
.header .icon-button .icon { inline-size: 19px; block-size: 19px; }
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-block-size: 32px; padding: 4px 12px;
  border: 1px solid var(--c-border); border-radius: var(--c-radius); background: var(--c-surface);
  font-size: 13.5px; font-weight: 550; line-height: 1.4; text-decoration: none; color: inherit;
}
.button:hover:not(:disabled) { background: var(--c-surface-2); }
.button:disabled { opacity: .55; }
.button.primary { background: var(--c-primary); border-color: var(--c-primary); color: var(--c-on-primary); }
.button.primary:hover:not(:disabled) { background: color-mix(in srgb, var(--c-primary) 88%, var(--c-text)); }
.button.danger { border-color: color-mix(in srgb, var(--c-danger) 45%, var(--c-border)); color: var(--c-danger); }
.link {
  padding: 2px 0; border: 0; background: none; color: var(--c-primary); font-size: 13px; text-decoration: underline;
  text-underline-offset: 2px;
}
.field {
  min-inline-size: 0; flex: 1; padding: 5px 9px; border: 1px solid var(--c-border); border-radius: 6px;
  background: var(--c-bg);
}
.banner, .archived-note {
  display: flex; align-items: center; gap: 10px; flex: none; padding: 10px 14px; font-size: 13.5px;
  border-block-start: 1px solid var(--c-border); background: color-mix(in srgb, var(--c-warning) 12%, var(--c-surface));
}
.banner p, .archived-note p { flex: 1; }
.banner .icon, .archived-note .icon { color: var(--c-warning); }
@keyframes pulse { 50% { opacity: .35; } }
@keyframes spin { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
}
`;
