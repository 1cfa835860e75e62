// Where the handles of a node sit on its border. Used while the model of a graph is built.

const SIDES = ["R", "L", "T", "B"];
const SPACING = 17;
const LABELLED = 92;

/** What a reader may know a handle by: its label, the kind of helper it takes, or an id that says something. */
function titleOf({ id, label, accept }) {
  if (label) return label;
  if (accept.startsWith("ai_")) return accept.slice(3).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return /^(main|in|out|input|output|[RLTB])?[-_ ]?\d*$/i.test(id) ? "" : id;
}

/** The handles that `raw` declares: [
  {id, side, direction, accept, label, title},
]; positions come with `placeHandles`. */
export function readHandles(raw) {
  const found = [];
  for (const side of SIDES) {
    const points = Array.isArray(raw?.[side]) ? raw[side] : [];
    for (const point of points) {
      if (!point || typeof point !== "object") continue;
      const handle = {
        id: String(point.id ?? ""),
        side,
        direction: point.type === "in" ? "in" : "out",
        accept: String(point.accept ?? ""),
        label: String(point.label ?? ""),
      };
      found.push({ ...handle, title: titleOf(handle) });
    }
  }
  return found;
}

/**
 * The handle of a node that an edge names. One that nobody declared is made: out on the right, in on the left;
 * an edge without a name takes the first handle of its direction.
 */
export function handleFor(item, id, direction) {
  const own = item.handles.filter((handle) => handle.direction === direction);
  const named = own.find(
    (handle) => handle.id === id || `${handle.side}-${handle.id}` === id,
  ) ?? item.handles.find((handle) => handle.id === id);
  if (named) return named;
  if (!id && own.length) return own[0];
  const made = { id, side: direction === "out" ? "R" : "L", direction, accept: "", label: "", title: "" };
  item.handles.push(made);
  return made;
}

/** The least width and height in which the handles of a node do not crowd. */
export function roomForHandles(handles) {
  const count = (sides) => Math.max(...sides.map((side) => handles.filter((handle) => handle.side === side).length));
  const labelled = Math.max(
    ...["T", "B"].map((side) => handles.filter((handle) => handle.side === side && handle.title).length),
  );
  return {
    width: Math.max(count(["T", "B"]) * SPACING + SPACING, labelled > 1 ? labelled * LABELLED : 0),
    height: count(["R", "L"]) * SPACING + SPACING,
  };
}

/** Sets x and y of every handle, evenly along its side of the item's box. */
export function placeHandles(item) {
  const { x, y, w, h } = item.box;
  for (const side of SIDES) {
    const points = item.handles.filter((handle) => handle.side === side);
    points.forEach((handle, index) => {
      const across = side === "T" || side === "B";
      const share = across ? (index + 0.5) / points.length : (index + 1) / (points.length + 1);
      handle.x = across ? x + w * share : side === "R" ? x + w : x;
      handle.y = across ? (side === "B" ? y + h : y) : y + h * share;
    });
  }
}
