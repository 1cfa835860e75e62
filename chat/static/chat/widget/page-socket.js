/* One connection for all parts of a page: it is open while somebody holds it. */

import { ChatSocket } from "./socket.js";

const sockets = new Map();

/** The page's connection in a workspace; who wants it open calls its `hold`. */
export function pageSocket(path, workspace) {
  const name = `${path} ${workspace}`;
  if (!sockets.has(name)) sockets.set(name, new ChatSocket(path, workspace));
  return sockets.get(name);
}
