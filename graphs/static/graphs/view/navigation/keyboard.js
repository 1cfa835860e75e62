// The keys of the canvas. Combinations with Ctrl, Alt and the system key belong to the browser.

import { directionOf, isArrow } from "./directions.js";

const STEP = 80;
const ZOOM = 1.25;

/** What a key does: calls one of `actions` and returns true, or returns false for keys of others. */
function perform(event, actions) {
  const { key } = event;
  if (isArrow(key)) {
    const [dx, dy] = directionOf(key);
    if (event.shiftKey) actions.pan(-dx * STEP, -dy * STEP);
    else actions.move(key);
  } else if (key === "Enter" && event.shiftKey) return false;
  else if (key === "Enter" || key === " ") actions.open();
  else if (key === "Escape") actions.close();
  else if (key === "/") actions.find();
  else if (key === "+" || key === "=") actions.zoom(ZOOM);
  else if (key === "-" || key === "_") actions.zoom(1 / ZOOM);
  else if (key === "0" || key.toLowerCase() === "f") actions.fit();
  else if (key.toLowerCase() === "p") actions.proposals();
  else if (key === "?") actions.help();
  else return false;
  return true;
}

/** `actions`: pan(dx, dy), move(arrow), open(), close(), find(), zoom(factor), fit(), proposals(), help(). */
export function listenToKeys(element, actions) {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (perform(event, actions)) event.preventDefault();
  });
}
