// Turns CSS text into a sheet that shadow roots adopt; no style element, so the page's CSP needs no exception.

export function stylesheet(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
