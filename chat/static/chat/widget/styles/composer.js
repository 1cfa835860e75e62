/* Where messages are written. */

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
`;
