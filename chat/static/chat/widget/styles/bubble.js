/* The round button in the corner and the dialog it opens. */

export const bubbleCss = `
:host([bubble]) { display: contents; }
.bubble-button {
  position: fixed; z-index: 900; inset-block-end: max(20px, env(safe-area-inset-bottom)); inset-inline-end: 20px;
  display: grid; place-items: center; inline-size: 56px; block-size: 56px; padding: 0; border: 0; border-radius: 50%;
  background: var(--c-primary); color: var(--c-on-primary); box-shadow: 0 6px 24px rgb(0 0 0 / .25);
  transition: transform .15s, box-shadow .15s;
}
.bubble-button:hover { transform: translateY(-2px); box-shadow: 0 10px 30px rgb(0 0 0 / .28); }
.bubble-button .icon { inline-size: 26px; block-size: 26px; }
.news {
  position: absolute; inset-block-start: 2px; inset-inline-end: 2px; inline-size: 14px; block-size: 14px;
  border: 2px solid var(--c-surface); border-radius: 50%; background: var(--c-danger);
}
.bubble-button[aria-busy="true"] { cursor: progress; }
.bubble-problem {
  position: fixed; z-index: 900; inset-block-end: 88px; inset-inline-end: 20px; max-inline-size: min(320px, calc(100vw - 40px));
  display: flex; flex-wrap: wrap; align-items: center; gap: 10px; padding: 10px 14px; border: 1px solid var(--c-border); border-radius: var(--c-radius); background: var(--c-surface);
  box-shadow: var(--c-shadow);
}
.bubble-problem:empty { display: none; }
.dialog {
  position: fixed; z-index: 900; inset-block-end: 20px; inset-inline-end: 20px;
  inline-size: min(430px, calc(100vw - 40px)); block-size: min(680px, calc(100dvh - 40px));
  border: 1px solid var(--c-border); border-radius: 16px; overflow: hidden; background: var(--c-surface);
  box-shadow: 0 16px 60px rgb(0 0 0 / .28);
  animation: rise .16s ease-out;
}
@keyframes rise { from { opacity: 0; transform: translateY(10px) scale(.985); } }
@media (max-width: 520px) {
  .dialog { inset: 0; inline-size: 100%; block-size: 100dvh; border: 0; border-radius: 0; }
}
`;
