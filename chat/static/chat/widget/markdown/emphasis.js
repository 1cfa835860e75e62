/* Pairs the runs of *, _ and ~~ in a line of inline pieces, after the delimiter algorithm of CommonMark. */

const KINDS = { 1: "em", 2: "strong" };
const SPACE = /\s/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** What a run of `character` between two characters may do. The ends of the text count as spaces. */
export function abilities(character, before, after) {
  const spaceBefore = !before || SPACE.test(before);
  const spaceAfter = !after || SPACE.test(after);
  const signBefore = Boolean(before) && PUNCTUATION.test(before);
  const signAfter = Boolean(after) && PUNCTUATION.test(after);
  const left = !spaceAfter && (!signAfter || spaceBefore || signBefore);
  const right = !spaceBefore && (!signBefore || spaceAfter || signAfter);
  if (character !== "_") return { opens: left, closes: right };
  return { opens: left && (!right || signBefore), closes: right && (!left || signAfter) };
}

/** Turns matching runs after `bottom` into em, strong and del pieces, in place in the list; forgets the rest. */
export function pairEmphasis(list, delimiters, bottom) {
  const floors = new Map();
  let index = bottom;
  while (index < delimiters.length) {
    const closer = delimiters[index];
    if (!closer.closes || closer.count === 0) {
      index += 1;
      continue;
    }
    const key = `${closer.character}${closer.opens}${closer.original % 3}`;
    const opener = findOpener(delimiters, index, Math.max(bottom, floors.get(key) ?? bottom));
    if (opener < 0) {
      floors.set(key, index);
      index += 1;
      continue;
    }
    join(list, delimiters[opener], closer);
    for (let between = opener + 1; between < index; between += 1) delimiters[between].count = 0;
  }
  delimiters.length = bottom;
}

function findOpener(delimiters, closerIndex, floor) {
  const closer = delimiters[closerIndex];
  for (let index = closerIndex - 1; index >= floor; index -= 1) {
    const opener = delimiters[index];
    if (opener.count === 0 || !opener.opens || opener.character !== closer.character) continue;
    const either = opener.closes || closer.opens;
    const odd = either && (opener.original + closer.original) % 3 === 0;
    const exempt = opener.original % 3 === 0 && closer.original % 3 === 0;
    if (!odd || exempt) return index;
  }
  return -1;
}

function join(list, opener, closer) {
  const width = opener.character === "~" ? 2 : Math.min(opener.count, closer.count, 2);
  const kind = opener.character === "~" ? "del" : KINDS[width];
  opener.count -= width;
  closer.count -= width;
  opener.piece.value = opener.character.repeat(opener.count);
  closer.piece.value = closer.character.repeat(closer.count);
  list.wrap(opener.piece, closer.piece, { type: kind });
}
