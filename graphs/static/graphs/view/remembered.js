// What a reload of the page should not lose: the sheet, and the view of each sheet. Kept for the browser tab.

const PREFIX = "countersign:graph-view:";

function read(name) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

function write(name, value) {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A full or forbidden storage only costs the memory of the view.
  }
}

export function rememberedSheet(src) {
  return read(`${src} sheet`);
}

export function rememberSheet(src, sheet) {
  write(`${src} sheet`, sheet);
}

/** {x, y, k} of a sheet, null where there is none. */
export function rememberedView(src, sheet) {
  const view = read(`${src} view ${sheet}`);
  return view && [view.x, view.y, view.k].every(Number.isFinite) && view.k > 0 ? view : null;
}

export function rememberView(src, sheet, { x, y, k }) {
  write(`${src} view ${sheet}`, { x, y, k });
}
