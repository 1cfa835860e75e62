/* Completes or hides the construct that the last line of a growing answer is in the middle of. Pure. */

const HALF_NODE = /\{(?:\{(?:n(?:o(?:d(?:e(?::[^{}\n]*\}?)?)?)?)?)?)?$/;
const HALF_TARGET = /!?\[([^[\]\n]*)\]\([^()\s]*$/;
const HALF_LABEL = /!?\[([^[\]\n]*)$/;
const RUN = /\*{1,3}|~~|`+/g;

/** `source` as it should be shown while more of it is on the way. */
export function settled(source) {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start).replace(HALF_NODE, "").replace(HALF_TARGET, "$1").replace(HALF_LABEL, "$1");
  const bare = line.replace(/(?:^|(?<=\s|[("“]))[*~_`]+$/, "");
  return source.slice(0, start) + bare + missingEnds(source.slice(0, start) + bare);
}

/** The closing signs of emphasis and code that were opened and not closed yet, innermost first. */
function missingEnds(text) {
  const open = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const at = open.lastIndexOf(run);
    const code = open.at(-1)?.startsWith("`");
    if (code && open.at(-1) !== run) continue;
    if (at >= 0) open.length = at;
    else if (!/\s/.test(text[index + run.length] ?? " ") && text[index - 1] !== "\\") open.push(run);
  }
  return open.reverse().join("");
}
