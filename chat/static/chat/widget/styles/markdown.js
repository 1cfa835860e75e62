/* The text of answers. */

export const markdownCss = `
.markdown { min-inline-size: 0; overflow-wrap: anywhere; }
.markdown > * { margin-block: 0; }
.markdown > * + * { margin-block-start: .7em; }
.markdown h3, .markdown h4, .markdown h5, .markdown h6 { line-height: 1.35; font-weight: 650; letter-spacing: -.005em; }
.markdown h3 { font-size: 1.2em; }
.markdown h4 { font-size: 1.1em; }
.markdown h5, .markdown h6 { font-size: 1em; }
.markdown > * + :is(h3, h4, h5, h6) { margin-block-start: 1.1em; }
.markdown :is(ul, ol) { padding-inline-start: 1.5em; }
.markdown li { margin-block: .25em; }
.markdown li > :is(p, ul, ol) { margin-block: .3em; }
.markdown li::marker { color: var(--c-muted); }
.markdown li.task { list-style: none; display: flex; gap: .5em; margin-inline-start: -1.4em; }
.markdown li.task > div { min-inline-size: 0; flex: 1; }
.markdown li.task input { margin: .35em 0 0; flex: none; accent-color: var(--c-primary); }
.markdown blockquote {
  margin-inline: 0; padding-inline-start: .9em; border-inline-start: 3px solid var(--c-border);
  color: var(--c-muted);
}
.markdown blockquote > * { margin-block: 0; }
.markdown blockquote > * + * { margin-block-start: .6em; }
.markdown hr { border: 0; border-block-start: 1px solid var(--c-border); margin-block: 1em; }
.markdown a { color: var(--c-primary); text-underline-offset: 2px; }
.markdown .host {
  margin-inline-start: .35em; font-size: .85em; color: var(--c-muted); text-decoration: none; display: inline-block;
}
.markdown .host::before { content: "("; }
.markdown .host::after { content: ")"; }
.markdown :not(pre) > code {
  padding: .1em .35em; border-radius: 5px; background: var(--c-code);
  border: 1px solid color-mix(in srgb, var(--c-border) 60%, transparent); font: .88em var(--c-mono);
}
.markdown .code {
  border: 1px solid var(--c-border); border-radius: var(--c-radius); background: var(--c-code); overflow: hidden;
}
.markdown .code-head {
  display: flex; align-items: center; justify-content: space-between; padding: 3px 5px 3px 12px;
  border-block-end: 1px solid var(--c-border); font: 12px var(--c-mono); color: var(--c-muted);
}
.markdown .copy-code {
  display: inline-flex; align-items: center; gap: 5px; padding: 3px 8px; border: 0; border-radius: 6px;
  background: none; font: 12px var(--c-font); color: var(--c-muted);
}
.markdown .copy-code:hover { background: var(--c-hover); color: var(--c-text); }
.markdown pre { margin: 0; padding: 10px 12px; overflow-x: auto; font: 12.5px/1.55 var(--c-mono); tab-size: 4; }
.markdown pre:focus-visible { outline-offset: -2px; }
.markdown .table { overflow-x: auto; border: 1px solid var(--c-border); border-radius: var(--c-radius); }
.markdown table { border-collapse: collapse; inline-size: 100%; font-size: .93em; }
.markdown :is(th, td) { padding: 6px 11px; text-align: start; vertical-align: top; overflow-wrap: normal; }
.markdown tr + tr > * { border-block-start: 1px solid var(--c-border); }
.markdown th { background: var(--c-surface-2); font-weight: 600; white-space: nowrap; }
.markdown .align-center { text-align: center; }
.markdown .align-right { text-align: end; }
.markdown .node {
  display: inline; padding: 0 .45em .05em .35em;
  box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  border: 1px solid color-mix(in srgb, var(--c-primary) 35%, var(--c-border)); border-radius: 6px;
  background: var(--c-tint); color: var(--c-primary); font-size: .94em; font-weight: 550; line-height: 1.35;
  text-align: start;
}
.markdown .node:hover { background: color-mix(in srgb, var(--c-primary) 22%, var(--c-surface)); }
.markdown .node .icon { inline-size: .95em; block-size: .95em; margin-inline-end: .3em; vertical-align: -.12em; }
.markdown.live > :is(p, h3, h4, h5, h6):last-child::after, .markdown.live > :is(ul,
ol):last-child > li:last-child > :is(span, p):last-child::after {
  content: ""; display: inline-block; inline-size: .5em; block-size: 1em; margin-inline-start: .15em;
  vertical-align: -.13em;
  border-radius: 2px; background: var(--c-primary); opacity: .75; animation: pulse 1s ease-in-out infinite;
}
`;
