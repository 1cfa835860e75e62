// Where a new node goes: in the drawing, and as the data has it.

import { CARD } from "../model/model.js";

const APART = 20;
const MOST_STEPS = 30;

/** The middle of what is seen of a sheet, or below it, where no card is. */
export function freeSpot(canvas, sheet) {
  const { width: w, height: h } = CARD;
  const spot = canvas.spotAt(canvas.viewport.center);
  const around = () => ({
    x: spot.x - w / 2 - APART, y: spot.y - h / 2 - APART, w: w + 2 * APART, h: h + 2 * APART,
  });
  for (let step = 0; step < MOST_STEPS && sheet?.nodeGrid.touches(around()); step += 1) spot.y += h / 2;
  return spot;
}

/** The position of a node that has this spot in its middle. */
export function placeAt({ x, y }, { stretch }) {
  return {
    posX: Math.round((x - CARD.width / 2) / stretch.x), posY: Math.round((y - CARD.height / 2) / stretch.y),
  };
}

/** The position of a node that goes so far in the drawing. */
export function placeBeside({ posX, posY }, dx, dy, { stretch }) {
  return { posX: Math.round(posX + dx / stretch.x), posY: Math.round(posY + dy / stretch.y) };
}
