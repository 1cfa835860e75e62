// Text as people must see it before they sign for it: nothing in it is hidden, reordered or endless.

/** Controls, bidirectional marks, characters without width or with tags in them. A space that French needs is none. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2000-\u200a\u3000\u2800]/gu;
const PLAIN = new Set(["\n", "\t", "\ufe0f"]);
/** Browsers take seconds to lay out thousands of marks over one letter. */
const MOST_MARKS = /(\p{M}{32})\p{M}+/gu;

/** The text with `⟦U+202E⟧` in the place of what could not be seen. */
export function visible(text) {
  return text.replace(MOST_MARKS, "$1⟦…⟧").replace(HIDDEN, (found) => (PLAIN.has(found) ? found : named(found)));
}

function named(character) {
  return `⟦U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
}
