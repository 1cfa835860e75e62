/* The widget's style sheets, made once and shared by every widget of the page. */

import { diffSheet } from "../../graphs/diff.js";
import { stylesheet } from "../../graphs/stylesheet.js";
import { proposalsCss } from "../proposals/styles.js";
import { queueCss } from "../queue/styles.js";
import { bubbleCss } from "./styles/bubble.js";
import { composerCss } from "./styles/composer.js";
import { markdownCss } from "./styles/markdown.js";
import { menuCss } from "./styles/menu.js";
import { messagesCss } from "./styles/messages.js";
import { panelCss } from "./styles/panel.js";

const own = [panelCss, messagesCss, markdownCss, composerCss, menuCss, bubbleCss, proposalsCss, queueCss];
export const sheets = [diffSheet, ...own.map(stylesheet)];
