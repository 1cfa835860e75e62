// How much is drawn at a zoom: everything near, larger names at a middle distance, blocks with some names far out.

const NEAR = 0.8;
const FAR = 0.42;
const SMALLEST_TEXT = 10.5;

/**
 * {key, level, font, unit} for zoom `k`: `font` is the least size of text, `unit` one pixel, both in the units of the
 * drawing.
 */
export function detailFor(k) {
  if (k >= NEAR) return { key: "near", level: "near", font: 0, unit: 1 };
  const step = Math.floor(Math.log2(k) * 3) / 3;
  const zoom = 2 ** step;
  const level = k >= FAR ? "mid" : "far";
  return { key: `${level}${Math.round(step * 3)}`, level, font: SMALLEST_TEXT / zoom, unit: 1 / zoom };
}
