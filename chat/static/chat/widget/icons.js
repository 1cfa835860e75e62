/* The widget's pictures: those of graphs, and its own, drawn alike. */

import { svg } from "../../graphs/dom.js";
import { ICONS } from "../../graphs/icons.js";

const PATHS = {
  ...ICONS,
  pencil: ICONS.edit,
  trash: ICONS.bin,
  warning: ICONS.alert,
  wrench: ICONS.tool,
  bot: "M12 3v3M5 9a3 3 0 0 1 3-3h8a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3zM9 11.5v1.5M15 11.5v1.5M2.5 12v2M21.5 12v2",
  send: "M12 19.5v-15M5.5 11L12 4.5 18.5 11",
  stop: "M7.5 7.5h9v9h-9z",
  chevron: "M6.5 9.5L12 15l5.5-5.5",
  down: "M12 5v14M5.5 12.5L12 19l6.5-6.5",
  retry: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9M19.5 4.5V9H15",
  node: "M6 3.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM18 15.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM6 8.5v4.5a5 5 0 0 0 5 5h4.5",
  read: "M6 3.5h8L18.5 8v12.5H6zM13.5 3.5V8.5h5M9 12.5h6.5M9 16h6.5",
  list: "M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.1M4.5 12h.1M4.5 17.5h.1",
  thought: "M12 3.5a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3.5zM10 20.5h4",
  question: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM9.7 9.5a2.4 2.4 0 1 1 3.4 2.3c-.8.4-1.1.9-1.1 1.7M12 16.3v.2",
  share: "M12 14.5V4M7.5 8L12 3.5 16.5 8M5 12.5v7.5h14v-7.5",
  pin: "M9 3.5h6M10 3.5v6l-3.5 4.5h11L14 9.5v-6M12 14v6.5",
  thumbUp: "M7.5 10.5v9M7.5 10.5l4-7a2.2 2.2 0 0 1 2.2 2.6L13 9.5h5a2 2 0 0 1 2 2.4l-1.2 6a2 2 0 0 1-2 1.6H7.5M7.5 10.5H4v9h3.5",
  thumbDown: "M7.5 13.5v-9M7.5 13.5l4 7a2.2 2.2 0 0 0 2.2-2.6L13 14.5h5a2 2 0 0 0 2-2.4l-1.2-6a2 2 0 0 0-2-1.6H7.5M7.5 13.5H4v-9h3.5",
  archive: "M4 5h16v4H4zM5.5 9v10.5h13V9M10 13h4",
  hidden: "M4 4l16 16M9.5 5.6A9.6 9.6 0 0 1 12 5.3c4.2 0 7.4 2.7 9 6.7a11 11 0 0 1-2.2 3.4M6.2 7.6A11 11 0 0 0 3 12c1.6 4 4.8 6.7 9 6.7 1.4 0 2.7-.3 3.8-.9M9.9 9.9a3 3 0 0 0 4.2 4.2",
};

export function icon(name) {
  const looks = { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" };
  return svg("svg", looks, svg("path", { d: PATHS[name] }));
}
