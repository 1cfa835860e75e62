// A graph as it is drawn: the answer of the API with boxes, handles, lines and neighbours worked out, sheet by sheet.

import { Grid } from "./grid.js";
import { handleFor, placeHandles, readHandles, roomForHandles } from "./handles.js";
import { nodeStyles } from "./node-style.js";
import { route } from "./routing.js";
import { spread } from "./spread.js";

export const CARD = { width: 190, height: 64 };
const NOTE = { width: 240, height: 160 };

const finite = (value) => (Number.isFinite(value) ? value : 0);

function itemOf(node, index, styleOf) {
  const note = node.type === "note";
  const sized = node.width > 0 && node.height > 0;
  const size = note ? NOTE : CARD;
  const box = {
    x: finite(node.posX),
    y: finite(node.posY),
    w: node.width > 0 ? node.width : size.width,
    h: node.height > 0 ? node.height : size.height,
  };
  const handles = note ? [] : readHandles(node.handles);
  return {
    key: node.key,
    name: node.name || node.key,
    node,
    index,
    note,
    sized,
    box,
    handles,
    style: styleOf(node.type),
    incoming: [],
    outgoing: [],
  };
}

/** What an edge carries: "ai" for the helpers of a model, "error" for failures, else "main". */
function kindOf(from, to, edge) {
  if ([from.accept, to.accept, from.id, to.id].some((text) => /(^|[^a-z])ai_/.test(text))) return "ai";
  return [edge.label, from.id, from.label].some((text) => /^(on)?[ _-]?error$/i.test(text ?? "")) ? "error" : "main";
}

function connect(edges, items) {
  const connected = [];
  for (const edge of edges) {
    const source = items.get(edge.source);
    const target = items.get(edge.target);
    if (!source || !target) continue;
    const from = handleFor(source, edge.sourceHandle ?? "", "out");
    const to = handleFor(target, edge.targetHandle ?? "", "in");
    const line = {
      key: edge.key, edge, source, target, from, to, label: edge.label || "", kind: kindOf(from, to, edge),
    };
    source.outgoing.push(line);
    target.incoming.push(line);
    connected.push(line);
  }
  return connected;
}

function grow(item) {
  if (item.note || item.sized) return;
  const room = roomForHandles(item.handles);
  item.box.w = Math.max(item.box.w, room.width);
  item.box.h = Math.max(item.box.h, room.height);
}

function boundsOf(items) {
  if (!items.length) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { box } of items) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.w);
    bottom = Math.max(bottom, box.y + box.h);
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

function sheetOf({ key, name }, items, lines) {
  const nodes = items.filter((item) => !item.note);
  const notes = items.filter((item) => item.note).sort((a, b) => b.box.w * b.box.h - a.box.w * a.box.h);
  spread(items);
  items.forEach(placeHandles);
  for (const line of lines) Object.assign(line, route(line.from, line.to, line.source.box, line.target.box));
  return {
    key,
    name: name || key,
    nodes,
    notes,
    lines,
    bounds: boundsOf(items),
    nodeGrid: new Grid(nodes),
    noteGrid: new Grid(notes),
    lineGrid: new Grid(lines),
  };
}

function sheetsNamed(graph, items) {
  const sheets = (graph.sheets ?? []).map(({ key, name }) => ({ key, name }));
  const known = new Set(sheets.map((sheet) => sheet.key));
  for (const { node } of items) {
    if (known.has(node.sheet)) continue;
    known.add(node.sheet);
    sheets.push({ key: node.sheet, name: String(node.sheet ?? "") });
  }
  return sheets;
}

function grouped(list, keyOf) {
  const groups = new Map();
  for (const entry of list) {
    const key = keyOf(entry);
    if (groups.has(key)) groups.get(key).push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/**
 * {key, name, version, items: Map by key, sheets: Map by key, nodeTypes: Map by key} of the graph JSON of the API.
 * Edges whose nodes are missing are left out; edges between two sheets are neighbours without a line.
 */
export function buildModel(graph) {
  const styleOf = nodeStyles(graph.nodeTypes ?? []);
  const list = (graph.nodes ?? []).map((node, index) => itemOf(node, index, styleOf));
  const items = new Map(list.map((item) => [item.key, item]));
  const lines = connect(graph.edges ?? [], items);
  list.forEach(grow);
  const bySheet = grouped(list, (item) => item.node.sheet);
  const linesBySheet = grouped(
    lines.filter((line) => line.source.node.sheet === line.target.node.sheet),
    (line) => line.source.node.sheet,
  );
  const sheets = new Map(
    sheetsNamed(graph, list).map(
      (sheet) => [sheet.key, sheetOf(sheet, bySheet.get(sheet.key) ?? [], linesBySheet.get(sheet.key) ?? [])],
    ),
  );
  const nodeTypes = new Map((graph.nodeTypes ?? []).map((nodeType) => [nodeType.key, nodeType]));
  return { key: graph.key, name: graph.name || graph.key, version: graph.version, items, sheets, nodeTypes };
}
