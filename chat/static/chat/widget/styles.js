/* The widget's style sheets, made once and shared by every widget of the page. */

import { bubbleCss } from "./styles/bubble.js";
import { composerCss } from "./styles/composer.js";
import { markdownCss } from "./styles/markdown.js";
import { menuCss } from "./styles/menu.js";
import { messagesCss } from "./styles/messages.js";
import { panelCss } from "./styles/panel.js";

function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}

export const sheets = [panelCss, messagesCss, markdownCss, composerCss, menuCss, bubbleCss].map(sheet);
