/* The list of conversations. */

export const menuCss = `
.menu {
  position: absolute; z-index: 3; inset-block-start: 54px; inset-inline: 10px; max-inline-size: 440px;
  max-block-size: min(70%, 520px);
}
.menu, .model-card {
  display: flex; flex-direction: column; padding: 6px; border: 1px solid var(--c-border); border-radius: 12px;
  background: var(--c-surface); box-shadow: var(--c-shadow, 0 8px 30px rgb(0 0 0 / .18));
}
.menu:has(.sharing) { max-block-size: min(90%, 680px); }
.menu-scroll, .model-list { overflow-y: auto; min-block-size: 0; }
.menu-new {
  display: flex; align-items: center; gap: 8px; padding: 8px 10px; margin-block-end: 4px; border: 0;
  border-radius: var(--c-radius);
  background: none; color: var(--c-primary); font-weight: 550; text-align: start;
}
.menu-new:hover { background: var(--c-hover); }
.menu :focus-visible { outline-offset: -2px; }
.sessions { padding: 0; list-style: none; }
.session { display: flex; align-items: center; min-block-size: 38px; border-radius: var(--c-radius); }
.session:hover, .session:focus-within { background: var(--c-hover); }
.session.current { background: var(--c-tint); }
.session-open {
  flex: 1; min-inline-size: 0; display: flex; align-items: baseline; gap: 10px; padding: 7px 10px; border: 0;
  border-radius: var(--c-radius); background: none; text-align: start;
}
.session-title { flex: 1; min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.session-time { flex: none; font-size: 12px; color: var(--c-muted); }
.session-tool { inline-size: 30px; block-size: 30px; }
.session-tool .icon { inline-size: 15px; }
.session-tool:last-child { margin-inline-end: 4px; }
@media (hover: hover) {
  .session:not(:hover, :focus-within) .session-tool { opacity: .7; }
}
.session-rename { flex: 1; display: flex; gap: 4px; padding: 3px 5px; }
.session-confirm { flex: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 5px 8px 5px 10px; }
.session-confirm span { flex: 1; min-inline-size: 8em; }
.menu-heading { margin: 10px 10px 4px; font-size: 12.5px; font-weight: 600; color: var(--c-muted); }
.menu-link { display: flex; align-items: center; gap: 8px; padding: 8px 10px; color: var(--c-text); font-size: 13.5px; text-decoration: none; border-radius: var(--c-radius); }
.menu-link:hover { background: var(--c-hover); }
.sharing { flex: 1; min-inline-size: 0; display: grid; gap: 8px; padding: 8px 10px 10px; }
.sharing-head { position: sticky; inset-block-start: 0; z-index: 1; display: flex; align-items: center; gap: 8px; }
.sharing-head .menu-note { flex: 1; }
.sharing-head .menu-note:empty { display: block; }
.session:has(.sharing) { background: none; border: 1px solid var(--c-border); }
.sharing-body { display: grid; gap: 8px; }
.sharing h3 { font-size: 13.5px; font-weight: 600; }
.sharing-about { font-size: 12.5px; color: var(--c-muted); }
.sharing .menu-note { padding: 0; }
.sharing-list { display: grid; gap: 4px; padding: 0; list-style: none; }
.sharing-list:empty { display: none; }
.sharing-list li { display: flex; align-items: center; gap: 6px; }
.sharing-list li.sharing-fresh { display: grid; gap: 6px; }
.sharing-name { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; font-size: 13.5px; }
.sharing .field { min-inline-size: 0; padding: 5px 8px; font-size: 13.5px; }
.sharing-new, .sharing-address { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; }
.sharing-new select, .sharing-address input { flex: 1 1 7em; }
.sharing-address .sharing-about { flex-basis: 100%; }
.sharing-tick { display: inline-flex; align-items: center; gap: 6px; font-size: 13.5px; }
.sharing-tick input { accent-color: var(--c-primary); inline-size: 16px; block-size: 16px; margin: 0; }
.menu-note { padding: 8px 10px; font-size: 13px; color: var(--c-muted); }
.menu-note:empty { display: none; }
.menu .older { inline-size: 100%; border: 0; background: none; color: var(--c-muted); margin-block-start: 4px; }
.menu .which { inline-size: 100%; border: 0; background: none; color: var(--c-muted); margin-block-start: 4px; }
.export {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; margin-block-start: 6px; padding: 9px 10px 4px;
  border-block-start: 1px solid var(--c-border); font-size: 13.5px;
}
.export[hidden] { display: none; }
.export-title { inline-size: 100%; font-weight: 550; }
.export label { display: inline-flex; align-items: center; gap: 6px; }
.export input { accent-color: var(--c-primary); margin: 0; }
.export-links { display: flex; flex-wrap: wrap; gap: 6px; margin-inline-start: auto; }
.ask-always {
  display: grid; grid-template-columns: auto 1fr; gap: 0 10px; align-items: center; margin-block-start: 6px;
  padding: 9px 10px 4px; border-block-start: 1px solid var(--c-border); font-size: 13.5px;
}
.ask-always input { accent-color: var(--c-primary); inline-size: 16px; block-size: 16px; margin: 0; }
.ask-always small { grid-column: 2; color: var(--c-muted); font-size: 12px; }
`;
