/* The doubly linked list in which inline pieces are collected and wrapped. Used by the inline parser only. */

export class Pieces {
  constructor() {
    this.head = { type: "head" };
    this.last = this.head;
  }

  add(piece) {
    piece.before = this.last;
    piece.after = null;
    this.last.after = piece;
    this.last = piece;
    return piece;
  }

  /** Puts everything between two pieces into `wrapper`, which takes its place. */
  wrap(from, to, wrapper) {
    const first = from.after;
    const final = to.before;
    if (first === to) return;
    wrapper.first = first;
    first.before = null;
    final.after = null;
    from.after = wrapper;
    wrapper.before = from;
    wrapper.after = to;
    to.before = wrapper;
  }

  /** Replaces `from` and everything after it by `wrapper`, which keeps what followed `from`. */
  wrapRest(from, wrapper) {
    wrapper.first = from.after;
    if (wrapper.first) wrapper.first.before = null;
    this.last = from.before;
    this.last.after = null;
    this.add(wrapper);
  }

  /** Plain nodes: neighbours of text joined, empty ones dropped. */
  toNodes() {
    return plain(this.head.after);
  }
}

function plain(first) {
  const nodes = [];
  for (let piece = first; piece; piece = piece.after) {
    const previous = nodes[nodes.length - 1];
    if (piece.type !== "text") nodes.push(finished(piece));
    else if (piece.value && previous?.type === "text") previous.value += piece.value;
    else if (piece.value) nodes.push({ type: "text", value: piece.value });
  }
  return nodes;
}

function finished({ before, after, first, ...node }) {
  return first === undefined ? node : { ...node, children: plain(first) };
}
