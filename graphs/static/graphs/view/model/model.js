// A graph as it is drawn: the answer of the API with boxes, handles, lines and neighbours worked out, sheet by sheet.

import { union } from "./boxes.js";
import { Grid } from "./grid.js";
import { handleFor, placeHandles, readHandles, roomForHandles } from "./handles.js";
import { nodeStyles } from "./node-style.js";
import { route } from "./routing.js";
import { spread } from "./spread.js";

export const CARD = { width: 190, height: 64 };
const NOTE = { width: 240, height: 160 };

const finite = (value) => (Number.isFinite(value) ? value : 0);

/** A node as it is drawn, before it has found its place on a sheet. */
export function itemOf(node, index, styleOf) {
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

/** Gives a card the room its handles need. */
export function grow(item) {
  if (item.note || item.sized) return;
  const room = roomForHandles(item.handles);
  item.box.w = Math.max(item.box.w, room.width);
  item.box.h = Math.max(item.box.h, room.height);
}

/**
 * How the sheet was stretched before, so that a change of one node does not move all others; null for a sheet of which
 * most is new, or lies elsewhere.
 */
function keptStretch(items, before) {
  if (!before) return null;
  const places = new Map([...before.nodes, ...before.notes].map(({ node }) => [node.key, node]));
  const stayed = items.filter(({ node }) => {
    const place = places.get(node.key);
    return place && place.posX === node.posX && place.posY === node.posY;
  });
  return stayed.length * 2 >= items.length ? before.stretch : null;
}

function sheetOf({ key, name, version }, items, lines, before) {
  const nodes = items.filter((item) => !item.note);
  const notes = items.filter((item) => item.note).sort((a, b) => b.box.w * b.box.h - a.box.w * a.box.h);
  const stretch = spread(items, keptStretch(items, before));
  items.forEach(placeHandles);
  for (const line of lines) Object.assign(line, route(line.from, line.to, line.source.box, line.target.box));
  return {
    key,
    name: name || key,
    version,
    nodes,
    notes,
    lines,
    stretch,
    bounds: items.reduce((found, { box }) => union(found, box), null),
    nodeGrid: new Grid(nodes),
    noteGrid: new Grid(notes),
    lineGrid: new Grid(lines),
  };
}

function sheetsNamed(graph, items) {
  const sheets = (graph.sheets ?? []).map(({ key, name, version }) => ({ key, name, version }));
  const known = new Set(sheets.map((sheet) => sheet.key));
  for (const { node } of items) {
    if (known.has(node.sheet)) continue;
    known.add(node.sheet);
    sheets.push({ key: node.sheet, name: String(node.sheet ?? "") });
  }
  return sheets;
}

/**
 * {key, name, version, items: Map by key, lines: Map by key, sheets: Map by key, nodeTypes: Map by key, styleOf} of the
 * graph JSON of the API. Edges whose nodes are missing are left out; edges between two sheets are neighbours without a
 * line. `before` is the model that this one replaces on the screen.
 */
export function buildModel(graph, before = null) {
  const styleOf = nodeStyles(graph.nodeTypes ?? []);
  const list = (graph.nodes ?? []).map((node, index) => itemOf(node, index, styleOf));
  const items = new Map(list.map((item) => [item.key, item]));
  const lines = connect(graph.edges ?? [], items);
  list.forEach(grow);
  const bySheet = Map.groupBy(list, (item) => item.node.sheet);
  const linesBySheet = Map.groupBy(
    lines.filter((line) => line.source.node.sheet === line.target.node.sheet),
    (line) => line.source.node.sheet,
  );
  const sheets = new Map(
    sheetsNamed(graph, list).map(
      (sheet) => [
        sheet.key,
        sheetOf(
          sheet,
          bySheet.get(sheet.key) ?? [],
          linesBySheet.get(sheet.key) ?? [],
          before?.sheets.get(sheet.key),
        ),
      ],
    ),
  );
  const nodeTypes = new Map((graph.nodeTypes ?? []).map((nodeType) => [nodeType.key, nodeType]));
  return {
    key: graph.key,
    name: graph.name || graph.key,
    version: graph.version,
    items,
    lines: new Map(lines.map((line) => [line.key, line])),
    sheets,
    nodeTypes,
    styleOf,
  };
}

/** The lines of some items, each once. */
export function linesOf(items) {
  return [...new Set(items.flatMap((item) => [...item.incoming, ...item.outgoing]))];
}
