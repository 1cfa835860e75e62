/* Which model answers, and going deeper with a stronger one. */

export const modelsCss = `
.model-picker { position: relative; display: flex; flex-wrap: wrap; padding: 4px 4px 0; }
.model-button {
  display: flex; align-items: center; gap: 4px; max-inline-size: 100%; padding: 3px 8px; border: 0;
  border-radius: 999px; background: none; color: var(--c-muted); font-size: 12.5px;
}
.model-button:hover, .model-button[aria-expanded="true"] { background: var(--c-hover); color: var(--c-text); }
.model-button .model-name { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.model-button .icon { flex: none; inline-size: 13px; }
.model-gone { inline-size: 100%; padding: 0 8px 6px; font-size: 13px; color: var(--c-danger); overflow-wrap: anywhere; }
.model-card {
  position: absolute; z-index: 3; inset-block-end: calc(100% + 4px); inset-inline: 0; max-inline-size: 460px;
  max-block-size: min(60vh, 420px);
}
.model-row {
  display: flex; align-items: center; gap: 10px; padding: 7px 10px; border-radius: var(--c-radius); cursor: pointer;
}
.model-row:hover { background: var(--c-hover); }
.model-row:has(input:checked) { background: var(--c-tint); }
.model-row:has(input:focus-visible) { outline: 2px solid var(--c-focus); outline-offset: -2px; }
.model-row input { flex: none; inline-size: 15px; block-size: 15px; margin: 0; accent-color: var(--c-primary); outline: 0; }
.model-words { flex: 1; min-inline-size: 0; display: flex; flex-direction: column; }
.model-label { overflow-wrap: anywhere; }
.model-facts { font-size: 12px; color: var(--c-muted); overflow-wrap: anywhere; }
.model-current { flex: none; font-size: 12px; color: var(--c-muted); }
.model-actions {
  display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 6px; margin-block-start: 6px; padding: 8px 4px 2px;
  border-block-start: 1px solid var(--c-border);
}
.deepens { display: flex; align-items: center; gap: 6px; font-size: 12.5px; color: var(--c-muted); }
.deepens .icon { flex: none; inline-size: 14px; }
.gave-up {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; font-size: 13px; color: var(--c-muted);
}
.gave-up span { flex: 1; min-inline-size: 12em; }
`;
