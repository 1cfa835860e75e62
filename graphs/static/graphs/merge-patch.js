// JSON merge patches (RFC 7396). Pure.

/** The patch that makes `now` of `before`; null where none could: it cannot set null, nor change what is no object. */
export function mergePatch(before, now) {
  if (!isObject(now)) return null;
  const old = isObject(before) ? before : {};
  const patch = {};
  for (const name of Object.keys(old)) if (!Object.hasOwn(now, name)) patch[name] = null;
  for (const [name, value] of Object.entries(now)) {
    const was = Object.hasOwn(old, name) ? old[name] : undefined;
    if (JSON.stringify(was) === JSON.stringify(value)) continue;
    const inner = isObject(value) ? mergePatch(was, value) : value;
    if (inner === null) return null;
    patch[name] = inner;
  }
  return patch;
}

export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
