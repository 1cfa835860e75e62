// The keys of editing. On the drawing: Alt and arrows move nodes, Shift + Enter and Ctrl + A choose several, N, C, Delete;
// everywhere but in fields: undo, redo.

import { directionOf, isArrow } from "../navigation/directions.js";

const STEP = 10;
const LARGE = 50;

function redoes(event) {
  const key = event.key.toLowerCase();
  return (key === "z" && event.shiftKey) || key === "y";
}

/** `actions`: nudge(dx, dy), settle(), create(), connect(), remove(), choose(), chooseAll(), undo(), redo(). */
export function listenToEditKeys(root, canvas, actions) {
  root.addEventListener("keydown", (event) => {
    const field = event.composedPath()[0]?.matches?.("input, textarea, select");
    if (field || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    if (!["z", "y"].includes(event.key.toLowerCase())) return;
    event.preventDefault();
    if (redoes(event)) actions.redo();
    else actions.undo();
  });
  canvas.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") {
      event.preventDefault();
      actions.chooseAll();
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.altKey && isArrow(event.key)) {
      const [dx, dy] = directionOf(event.key);
      const step = event.shiftKey ? LARGE : STEP;
      actions.nudge(dx * step, dy * step);
    } else if (event.altKey) return;
    else if (event.key.toLowerCase() === "n") actions.create();
    else if (event.key.toLowerCase() === "c") actions.connect();
    else if (event.key === "Enter" && event.shiftKey) actions.choose();
    else if (event.key === "Delete" || event.key === "Backspace") actions.remove();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("keyup", (event) => event.key === "Alt" && actions.settle());
  canvas.addEventListener("blur", () => actions.settle());
}
