/* Opens a conversation that has no page of its own: the button in the corner shows it. */

import { Memory } from "./memory.js";

/** False where the page has no such button. */
export function openInBubble(workspace, sessionId) {
  const bubble = document.querySelector("chat-widget[bubble]:not([context-type])");
  if (!bubble) return false;
  if (bubble.panel) bubble.panel.open(sessionId);
  else new Memory(`${workspace}:`).rememberSession(sessionId);
  bubble.open();
  return true;
}
