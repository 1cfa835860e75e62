// Icon paths at a place and size. A transform attribute on every icon and card would cost the browser a paint
// property each, and panning a hundred times more; so the numbers themselves are moved and scaled.

const OPERANDS = { M: "xy", L: "xy", T: "xy", H: "x", V: "y", C: "xyxyxy", S: "xyxy", Q: "xyxy", A: "rr---xy", Z: "" };
const parsed = new Map();

function parse(path) {
  const commands = [];
  for (const [, letter, operands] of path.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    commands.push({ letter, numbers: (operands.match(/-?\d*\.?\d+/g) ?? []).map(Number) });
  }
  return commands;
}

const round = (value) => Math.round(value * 100) / 100;

function moved({ letter, numbers }, x, y, scale) {
  const kinds = OPERANDS[letter.toUpperCase()];
  const absolute = letter === letter.toUpperCase();
  const values = numbers.map((value, index) => {
    const kind = kinds[index % kinds.length];
    if (kind === "-") return value;
    const offset = absolute && kind === "x" ? x : absolute && kind === "y" ? y : 0;
    return round(value * scale + offset);
  });
  return letter + values.join(" ");
}

/** `path` (24 x 24, beginning with an absolute M) with its upper left corner at (x, y) and `size` wide. */
export function placedPath(path, x, y, size) {
  if (!parsed.has(path)) parsed.set(path, parse(path));
  return parsed.get(path).map((command) => moved(command, x, y, size / 24)).join("");
}

const HEADS = {
  L: (x, y, length, half) => `M${x - length} ${y - half}L${x} ${y}L${x - length} ${y + half}Z`,
  R: (x, y, length, half) => `M${x + length} ${y - half}L${x} ${y}L${x + length} ${y + half}Z`,
  T: (x, y, length, half) => `M${x - half} ${y - length}L${x} ${y}L${x + half} ${y - length}Z`,
  B: (x, y, length, half) => `M${x - half} ${y + length}L${x} ${y}L${x + half} ${y + length}Z`,
};

/** The arrow head that points at a handle from outside its node. */
export function headPath({ x, y, side }, length, half) {
  return HEADS[side](x, y, length, half);
}
