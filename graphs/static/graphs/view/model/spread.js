// Room between cards. Editors draw nodes smaller than this drawing does, so a sheet is stretched, each axis by
// one factor, until cards that carry no size of their own no longer touch; notes keep what lay on them.

import { inside } from "./boxes.js";

const GAP_X = 52;
const GAP_Y = 30;
const MOST = 2.4;
const CELL = 400;

function neighbourhoods(items) {
  const cells = Map.groupBy(items, ({ box }) => `${Math.floor(box.x / CELL)}:${Math.floor(box.y / CELL)}`);
  return (item) => {
    const near = [];
    const column = Math.floor(item.box.x / CELL);
    const row = Math.floor(item.box.y / CELL);
    for (let i = column - 1; i <= column + 1; i += 1) {
      for (let j = row - 1; j <= row + 1; j += 1) near.push(...(cells.get(`${i}:${j}`) ?? []).slice(0, 40));
    }
    return near;
  };
}

function needs(item, near) {
  let x = 1;
  let y = 1;
  for (const other of near) {
    const dx = other.box.x - item.box.x;
    const dy = other.box.y - item.box.y;
    if (other === item || dx < 0 || (dx === 0 && dy <= 0)) continue;
    const roomX = item.box.w + GAP_X;
    const height = dy >= 0 ? item.box.h : other.box.h;
    const beside = Math.abs(dy) < height * 0.5;
    if (beside && dx > 24 && dx < roomX) x = Math.max(x, roomX / dx);
    else if (!beside && dx < item.box.w && Math.abs(dy) < height + GAP_Y) y = Math.max(
      y,
      (height + GAP_Y) / Math.abs(dy),
    );
  }
  return { x, y };
}

function ninth(values) {
  const sorted = values.filter((value) => value > 1).sort((a, b) => a - b);
  return sorted.length ? Math.min(MOST, sorted[Math.floor((sorted.length - 1) * 0.9)]) : 1;
}

function keepMembers(note, members) {
  for (const { box } of members) {
    const right = Math.max(note.box.x + note.box.w, box.x + box.w + 16);
    const bottom = Math.max(note.box.y + note.box.h, box.y + box.h + 16);
    note.box.w = right - note.box.x;
    note.box.h = bottom - note.box.y;
  }
}

function factorFor(cards) {
  const free = cards.filter((card) => !card.sized);
  if (!free.length) return { x: 1, y: 1 };
  const near = neighbourhoods(free);
  const wanted = free.map((item) => needs(item, near(item)));
  return { x: ninth(wanted.map((need) => need.x)), y: ninth(wanted.map((need) => need.y)) };
}

/** Puts a box where `factor` {x, y} has it; a note grows with its sheet. */
export function stretch({ box, note }, factor) {
  box.x *= factor.x;
  box.y *= factor.y;
  if (note) Object.assign(box, { w: box.w * factor.x, h: box.h * factor.y });
}

/**
 * Stretches the boxes of one sheet in place, by `kept` or by what its cards need; gives the factor {x, y}. Sheets whose
 * nodes all have a size stay as they are.
 */
export function spread(items, kept = null) {
  const cards = items.filter((item) => !item.note);
  const notes = items.filter((item) => item.note);
  const lies = (card, note) => inside({ ...card.box, w: 0, h: 0 }, note.box); // Its corner counts: it may stick out.
  const members = new Map(notes.map((note) => [note, cards.filter((card) => lies(card, note))]));
  const factor = kept ?? factorFor(cards);
  items.forEach((item) => stretch(item, factor));
  for (const [note, inside] of members) keepMembers(note, inside);
  return factor;
}
