/* Where messages are written, which model answers, and going deeper with a stronger one. */

export const composerCss = `
.composer { flex: none; inline-size: 100%; max-inline-size: 820px; margin-inline: auto; padding: 4px 14px 14px; }
.composer-box {
  display: flex; flex-wrap: wrap; align-items: flex-end; gap: 6px; padding: 6px 6px 6px 14px; cursor: text;
  border: 1px solid var(--c-border); border-radius: 18px; background: var(--c-bg);
  transition: border-color .15s, box-shadow .15s;
}
.composer-box:focus-within:not(:has(.composer-field:disabled)) {
  border-color: var(--c-focus); box-shadow: 0 0 0 1px var(--c-focus);
}
.composer-box:has(.composer-field:disabled) { opacity: .7; }
.composer-field {
  flex: 1; min-inline-size: 0; min-block-size: 34px; max-block-size: 120px; padding: 6px 0; resize: none;
  overflow-y: hidden; border: 0; background: none; line-height: 22px; outline: 0;
}
.count { align-self: center; font-size: 11.5px; color: var(--c-muted); font-variant-numeric: tabular-nums; }
.count:empty { display: none; }
.count.over { color: var(--c-danger); font-weight: 600; }
.round { inline-size: 34px; block-size: 34px; border-radius: 50%; }
.round .icon { inline-size: 18px; block-size: 18px; stroke-width: 2.2; }
.send-button { background: var(--c-primary); color: var(--c-on-primary); }
.send-button:hover:not(:disabled) {
  background: color-mix(in srgb, var(--c-primary) 88%, var(--c-text)); color: var(--c-on-primary);
}
.send-button:disabled {
  background: color-mix(in srgb, var(--c-text) 9%, transparent);
  color: color-mix(in srgb, var(--c-text) 45%, transparent);
}
.stop-button, .stop-button:hover { background: var(--c-text); color: var(--c-surface); }
.stop-button .icon path { fill: currentColor; }
.stop-button:disabled { opacity: .4; }
.composer-notice {
  display: flex; align-items: center; gap: 8px; padding: 4px 2px 8px 6px; font-size: 13px; color: var(--c-danger);
}
.composer-notice:empty { display: none; }
.composer-notice p { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; }
.composer-notice .icon-button { inline-size: 24px; block-size: 24px; }

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
