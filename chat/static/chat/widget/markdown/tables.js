/* Reads the tables of GitHub's dialect. Called by the block parser. */

const DASHES = /^:?-+:?$/;
const ONLY_DELIMITERS = /^[\s|:-]+$/;

/** True where this line is a header and the next one its row of dashes, with as many cells. */
export function isTableStart(lines, at) {
  const [header, delimiter] = [lines[at], lines[at + 1]];
  if (delimiter === undefined || !ONLY_DELIMITERS.test(delimiter)) return false;
  if (!header.includes("|") || !delimiter.includes("-")) return false;
  const dashes = cells(delimiter);
  return dashes.every((cell) => DASHES.test(cell)) && dashes.length === cells(header).length;
}

/** The row of dashes that belongs under this header, "" where there is no cell. */
export function dashesFor(header) {
  const count = cells(header).length;
  return count > 0 ? `|${"-|".repeat(count)}` : "";
}

export function tableAt(lines, at, startsBlock) {
  const align = cells(lines[at + 1]).map(alignment);
  const rows = [row(cells(lines[at]), align, true)];
  let end = at + 2;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end])) {
    rows.push(row(cells(lines[end]), align, false));
    end += 1;
  }
  return { block: { type: "table", children: rows }, end };
}

function row(texts, align, head) {
  const children = align.map((side, index) => ({ type: "cell", head, align: side, source: texts[index] ?? "" }));
  return { type: "row", head, children };
}

function alignment(dashes) {
  const [left, right] = [dashes.startsWith(":"), dashes.endsWith(":")];
  if (left && right) return "center";
  return right ? "right" : left ? "left" : "";
}

/** Cuts at every | that is not escaped; one at either end only frames the row. */
function cells(line) {
  const found = line.trim().replace(/^\|/, "").split(/(?<!\\)\|/);
  if (!found.at(-1).trim()) found.pop();
  return found.map((cell) => cell.replaceAll("\\|", "|").trim());
}
