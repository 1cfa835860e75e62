/* Text of a model as it can be shown: browsers take seconds to lay out thousands of marks over one letter. */

const MOST_MARKS = /(\p{M}{32})\p{M}+/gu;

export function legible(text) {
  return text.replace(MOST_MARKS, "$1");
}
