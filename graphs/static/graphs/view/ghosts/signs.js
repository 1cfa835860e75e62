// The signs of what a change does, on the drawing, in its legend and in lists.

export const SIGNS = { create: "+", delete: "−", update: "~", move: "→", leave: "→" };
