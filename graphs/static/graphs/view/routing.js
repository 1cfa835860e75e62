// The line of an edge: a curve when the target lies ahead, a rounded detour when it lies behind or is the node itself.

const NORMAL = { R: [1, 0], L: [-1, 0], T: [0, -1], B: [0, 1] };
const STUB = 26;

const round = (value) => Math.round(value * 10) / 10;

function curve(from, to, [fx, fy], [tx, ty]) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const along = Math.abs((to.x - from.x) * fx + (to.y - from.y) * fy);
  const reach = Math.min(180, Math.max(Math.min(36, distance / 2), along * 0.45, distance * 0.22));
  const a = { x: from.x + fx * reach, y: from.y + fy * reach };
  const b = { x: to.x + tx * reach, y: to.y + ty * reach };
  return {
    path: `M${round(from.x)} ${round(from.y)}C${round(a.x)} ${round(a.y)} ${round(b.x)} ${round(b.y)} ${round(to.x)} ${round(to.y)}`,
    middle: { x: (from.x + 3 * a.x + 3 * b.x + to.x) / 8, y: (from.y + 3 * a.y + 3 * b.y + to.y) / 8 },
    points: [from, a, b, to],
  };
}

function rounded(points, radius = 14) {
  let path = `M${round(points[0].x)} ${round(points[0].y)}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const [before, corner, after] = [points[i - 1], points[i], points[i + 1]];
    const into = Math.min(radius, Math.hypot(corner.x - before.x, corner.y - before.y) / 2);
    const out = Math.min(radius, Math.hypot(after.x - corner.x, after.y - corner.y) / 2);
    const p = towards(corner, before, into);
    const q = towards(corner, after, out);
    path += `L${round(p.x)} ${round(p.y)}Q${round(corner.x)} ${round(corner.y)} ${round(q.x)} ${round(q.y)}`;
  }
  const end = points[points.length - 1];
  return `${path}L${round(end.x)} ${round(end.y)}`;
}

function towards(from, to, length) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * length) / distance, y: from.y + ((to.y - from.y) * length) / distance };
}

/** Out to the right, over or under both boxes, and back in from the left. */
function detour(from, to, source, target) {
  const bottom = Math.max(source.y + source.h, target.y + target.h) + 30;
  const top = Math.min(source.y, target.y) - 30;
  const below = Math.abs(bottom - from.y) + Math.abs(bottom - to.y) <= Math.abs(top - from.y) + Math.abs(top - to.y);
  const gap = target.y - (source.y + source.h);
  const between = gap > 40 ? source.y + source.h + gap / 2 : null;
  const level = between ?? (source.y - (target.y + target.h) > 40 ? (source.y + target.y + target.h) / 2 : below ? bottom : top);
  const points = [
    from,
    { x: from.x + STUB, y: from.y },
    { x: from.x + STUB, y: level },
    { x: to.x - STUB, y: level },
    { x: to.x - STUB, y: to.y },
    to,
  ];
  return { path: rounded(points), middle: { x: (from.x + to.x) / 2, y: level }, points };
}

function bounds(points) {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}

/**
 * {path, middle, box} of the line between two placed handles; `source` and `target` are the boxes of their nodes.
 */
export function route(from, to, source, target) {
  const behind = from.side === "R" && to.side === "L" && to.x < from.x + 8;
  const line = behind ? detour(from, to, source, target) : curve(from, to, NORMAL[from.side], NORMAL[to.side]);
  return { path: line.path, middle: line.middle, box: bounds(line.points) };
}
