// Rectangles {x, y, w, h}.

export function overlaps(a, b) {
  return a.x <= b.x + b.w && b.x <= a.x + a.w && a.y <= b.y + b.h && b.y <= a.y + a.h;
}

export function inside(inner, outer) {
  const [right, bottom] = [outer.x + outer.w, outer.y + outer.h];
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.w <= right && inner.y + inner.h <= bottom;
}

/** The rectangle with `share` of its width and height added on every side. */
export function widened(box, share) {
  return { x: box.x - box.w * share, y: box.y - box.h * share, w: box.w * (1 + 2 * share), h: box.h * (1 + 2 * share) };
}

/** The smallest rectangle around both; either may be null. */
export function union(a, b) {
  if (!a || !b) return a ?? b;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}

/** The rectangle with `dx` added left and right, `dy` above and below. */
export function inflated({ x, y, w, h }, dx, dy = dx) {
  return { x: x - dx, y: y - dy, w: w + 2 * dx, h: h + 2 * dy };
}
