// The line of an edge: a curve when the target lies ahead, a rounded detour when it lies behind or is the node itself.

const NORMAL = { R: [1, 0], L: [-1, 0], T: [0, -1], B: [0, 1] };
const STUB = 26;

const round = (value) => Math.round(value * 10) / 10;
const point = ({ x, y }) => `${round(x)} ${round(y)}`;

function curve(from, to, [fx, fy], [tx, ty]) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const along = Math.abs((to.x - from.x) * fx + (to.y - from.y) * fy);
  const reach = Math.min(180, Math.max(Math.min(36, distance / 2), along * 0.45, distance * 0.22));
  const a = { x: from.x + fx * reach, y: from.y + fy * reach };
  const b = { x: to.x + tx * reach, y: to.y + ty * reach };
  return {
    path: `M${point(from)}C${point(a)} ${point(b)} ${point(to)}`,
    middle: { x: (from.x + 3 * a.x + 3 * b.x + to.x) / 8, y: (from.y + 3 * a.y + 3 * b.y + to.y) / 8 },
    points: [from, a, b, to],
  };
}

function rounded(points, radius = 14) {
  let path = `M${point(points[0])}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const [before, corner, after] = [points[i - 1], points[i], points[i + 1]];
    const into = Math.min(radius, Math.hypot(corner.x - before.x, corner.y - before.y) / 2);
    const out = Math.min(radius, Math.hypot(after.x - corner.x, after.y - corner.y) / 2);
    path += `L${point(towards(corner, before, into))}Q${point(corner)} ${point(towards(corner, after, out))}`;
  }
  return `${path}L${point(points.at(-1))}`;
}

function towards(from, to, length) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * length) / distance, y: from.y + ((to.y - from.y) * length) / distance };
}

/** The height at which a line goes back: between the two boxes where there is room, else under or over both. */
function wayBack(from, to, source, target) {
  const [upper, lower] = source.y <= target.y ? [source, target] : [target, source];
  if (lower.y - (upper.y + upper.h) > 40) return (upper.y + upper.h + lower.y) / 2;
  const bottom = Math.max(source.y + source.h, target.y + target.h) + 30;
  const top = Math.min(source.y, target.y) - 30;
  const length = (level) => Math.abs(level - from.y) + Math.abs(level - to.y);
  return length(bottom) <= length(top) ? bottom : top;
}

/** Out to the right, back at another height, and in from the left. */
function detour(from, to, source, target) {
  const level = wayBack(from, to, source, target);
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
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
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
