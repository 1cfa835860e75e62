/* <work-queue>: what runs or waits in the workspace, on its page.
 *
 * Attributes: workspace, api, socket. The page brings its part of the list as JSON in #queue-data.
 */

import { QueueList } from "./queue/list.js";
import { Queue } from "./queue/queue.js";
import { ChatApi } from "./widget/api.js";
import { openInBubble } from "./widget/opening.js";
import { pageSocket } from "./widget/socket.js";
import { sheets } from "./widget/styles.js";

class WorkQueue extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets;
    const workspace = this.getAttribute("workspace") ?? "";
    const api = new ChatApi({ base: this.getAttribute("api"), workspace, context: null });
    const socket = pageSocket(this.getAttribute("socket"), workspace);
    const cursor = new URLSearchParams(location.search).get("cursor") ?? "";
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    socket.hold(signal);
    const queue = new Queue({ api, socket, cursor });
    // A conversation about no object has no page.
    const open = ({ url, sessionId }) => !url && openInBubble(workspace, sessionId);
    document.addEventListener("countersign:ended", (event) => !document.hidden && event.preventDefault(), { signal });
    this.list = new QueueList({ queue, api, socket, workspace, open });
    root.replaceChildren(this.list.element);
    queue.start(signal, JSON.parse(document.getElementById("queue-data")?.textContent ?? "null"));
  }

  disconnectedCallback() {
    this.leaving.abort();
    this.list.stop();
  }
}

customElements.define("work-queue", WorkQueue);
