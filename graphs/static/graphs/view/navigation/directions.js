// Moving the selection by arrow keys: the nearest node that lies in the direction of the arrow.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const middle = ({ box }) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2 });

export function isArrow(key) {
  return Object.hasOwn(ARROWS, key);
}

export function directionOf(key) {
  return ARROWS[key];
}

/** The item nearest to a point; null if there is none. */
export function nearestTo(point, items) {
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const { x, y } = middle(item);
    const distance = (x - point.x) ** 2 + (y - point.y) ** 2;
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}

/** The item that an arrow key leads to from `from`: within 60 degrees of the arrow, sideways counts double. */
export function neighbourTowards(key, from, items) {
  const [dx, dy] = ARROWS[key];
  const start = middle(from);
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const { x, y } = middle(item);
    const ahead = (x - start.x) * dx + (y - start.y) * dy;
    const aside = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
    if (item === from || ahead <= 1 || aside > ahead * 1.75) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [item, cost];
  }
  return best;
}
