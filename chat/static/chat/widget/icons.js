/* The widget's pictures, drawn on a grid of 24 with round strokes in the colour of the text. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  bot: [
    "M12 3v3", "M5 9a3 3 0 0 1 3-3h8a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3z", "M9 11.5v1.5", "M15 11.5v1.5",
    "M2.5 12v2", "M21.5 12v2",
  ],
  spark: [
    "M12 3.5l1.9 5.1a2.5 2.5 0 0 0 1.5 1.5l5.1 1.9-5.1 1.9a2.5 2.5 0 0 0-1.5 1.5L12 20.5" +
      "l-1.9-5.1a2.5 2.5 0 0 0-1.5-1.5L3.5 12l5.1-1.9a2.5 2.5 0 0 0 1.5-1.5z",
  ],
  chat: [
    "M20.5 11.5a8 8 0 0 1-8.5 8 9.5 9.5 0 0 1-3.6-.7L3.5 20.5" +
      "l1.6-4.2A7.6 7.6 0 0 1 3.5 11.5a8 8 0 0 1 8.5-8 8 8 0 0 1 8.5 8z",
  ],
  send: ["M12 19.5v-15", "M5.5 11L12 4.5 18.5 11"],
  stop: ["M7.5 7.5h9v9h-9z"],
  plus: ["M12 5v14", "M5 12h14"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  chevron: ["M6.5 9.5L12 15l5.5-5.5"],
  down: ["M12 5v14", "M5.5 12.5L12 19l6.5-6.5"],
  pencil: ["M4 20l1-4.5L16.2 4.3a1.8 1.8 0 0 1 2.6 0l.9.9a1.8 1.8 0 0 1 0 2.6L8.5 19z", "M14 6.5l3.5 3.5"],
  trash: ["M4.5 7h15", "M9.5 7V4.5h5V7", "M6.5 7l.8 12.5h9.4L17.5 7", "M10.3 11v5", "M13.7 11v5"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  warning: ["M12 4L2.8 19.5h18.4z", "M12 10v4.2", "M12 16.8v.2"],
  retry: ["M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9", "M19.5 4.5V9H15"],
  copy: ["M9 9h10.5v10.5H9z", "M5.5 15H4.5V4.5H15v1"],
  node: [
    "M6 3.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z", "M18 15.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
    "M6 8.5v4.5a5 5 0 0 0 5 5h4.5",
  ],
  search: ["M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12z", "M15 15l4.5 4.5"],
  read: ["M6 3.5h8L18.5 8v12.5H6z", "M13.5 3.5V8.5h5", "M9 12.5h6.5", "M9 16h6.5"],
  list: ["M9 6.5h11", "M9 12h11", "M9 17.5h11", "M4.5 6.5h.1", "M4.5 12h.1", "M4.5 17.5h.1"],
  edit: ["M4 20h16", "M6 15.5l.6-3L15 4l2.5 2.5-8.5 8.4z"],
  wrench: [
    "M14.5 6.5a4.3 4.3 0 0 1 5-1.9l-2.7 2.7 1.9 1.9 2.7-2.7a4.3 4.3 0 0 1-5.8 5.2l-7.1 7.1a2 2 0 0 1-2.8-2.8" +
      "l7.1-7.1a4.3 4.3 0 0 1 1.7-2.4z",
  ],
  thought: ["M12 3.5a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3.5z", "M10 20.5h4"],
  question: [
    "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z", "M9.7 9.5a2.4 2.4 0 1 1 3.4 2.3c-.8.4-1.1.9-1.1 1.7",
    "M12 16.3v.2",
  ],
  pin: ["M9 3.5h6", "M10 3.5v6l-3.5 4.5h11L14 9.5v-6", "M12 14v6.5"],
  hidden: [
    "M4 4l16 16", "M9.5 5.6A9.6 9.6 0 0 1 12 5.3c4.2 0 7.4 2.7 9 6.7a11 11 0 0 1-2.2 3.4",
    "M6.2 7.6A11 11 0 0 0 3 12c1.6 4 4.8 6.7 9 6.7 1.4 0 2.7-.3 3.8-.9", "M9.9 9.9a3 3 0 0 0 4.2 4.2",
  ],
  clock: ["M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z", "M12 7.5V12l3 2"],
};

export function icon(name, label = "") {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("class", `icon icon-${name}`);
  if (label) {
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", label);
  } else picture.setAttribute("aria-hidden", "true");
  for (const line of PATHS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    picture.append(path);
  }
  return picture;
}
