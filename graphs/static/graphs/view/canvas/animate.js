// From one state of a sheet to the next: what moved glides, what is new fades in, what is gone fades out.

import { reducedMotion } from "./viewport.js";

const GLIDE_MS = 300;
/** More than this at once would not be fluent. */
const MOST = 400;

const shape = (path) => path.replace(/[-\d.\s]+/g, "");

function glide(element, from, to) {
  const start = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
  element.animate([{ transform: start }, { transform: "none" }], { duration: GLIDE_MS, easing: "ease-in-out" });
}

function bend(element, from, to) {
  const steps = [{ d: `path("${from}")` }, { d: `path("${to}")` }];
  if (shape(from) !== shape(to)) fadeIn(element);
  else element.animate(steps, { duration: GLIDE_MS, easing: "ease-in-out" });
}

function fadeIn(element) {
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: GLIDE_MS });
}

function fadeOut(element, group) {
  group.append(element);
  const remove = () => element.remove();
  const fading = element.animate([{ opacity: 1 }, { opacity: 0 }], { duration: GLIDE_MS, fill: "forwards" });
  fading.finished.then(remove, remove);
}

/** What shows how a thing that was `before` became what is `now`, either of which may be missing; null for nothing. */
function step(before, now, leaving) {
  if (!now) return () => fadeOut(before.element, leaving);
  if (!before) return () => fadeIn(now.element);
  const [from, to] = [before.item, now.item];
  if (to.path !== from.path) return () => bend(now.element, from.path, to.path);
  if (to.path || (from.box.x === to.box.x && from.box.y === to.box.y)) return null;
  return () => glide(now.element, from.box, to.box);
}

/**
 * `before` and `after` hold what is drawn, as Map of "kind key" -> {item, element}; elements that are gone are shown in
 * the group `leaving` until they have faded.
 */
export function animate(before, after, leaving) {
  if (reducedMotion()) return;
  const steps = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => step(before.get(name), after.get(name), leaving))
    .filter(Boolean);
  if (steps.length <= MOST) steps.forEach((show) => show());
}
