// What a reload of the page should not lose: the sheet, the view of each sheet, and what a person did there and can undo.
// Kept for the browser tab.

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

/** {done, undone} of a person, ids of change sets. */
export function rememberedEdits(src, person) {
  const known = read(`${src} edits ${person}`);
  const ids = (list) => (Array.isArray(list) ? list.filter((id) => typeof id === "string") : []);
  return { done: ids(known?.done), undone: ids(known?.undone) };
}

export function rememberEdits(src, person, { done, undone }) {
  write(`${src} edits ${person}`, { done, undone });
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
