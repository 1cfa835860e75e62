/* What runs or waits in the workspace, as a side of the panel; it is loaded, and asks the server, only while it is shown. */

import { t } from "../../../graphs/strings.js";
import { h } from "../elements.js";

export class QueueTab {
  /** `options` are {workspace}; `panel` opens conversations. */
  constructor(panel, { workspace }) {
    Object.assign(this, { panel, workspace, list: null, leaving: null });
    const looks = { class: "queue-tab", role: "tabpanel", tabIndex: 0, "aria-label": t("Queue") };
    this.element = h("div", looks);
  }

  async show() {
    this.leaving?.abort();
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const modules = await load();
    if (signal.aborted) return;
    if (modules) this.start(...modules, signal);
    else this.element.replaceChildren(h("p", { class: "muted", text: t("The queue could not be loaded. Reload the page.") }));
  }

  start({ Queue }, { QueueList }, signal) {
    const { api, socket } = this.panel;
    const queue = new Queue({ api, socket });
    const open = (entry) => this.opened(entry);
    this.list = new QueueList({ queue, api, socket, workspace: this.workspace, open });
    const all = h("a", { class: "link", href: `/queue/?workspace=${encodeURIComponent(this.workspace)}` });
    all.textContent = t("All that runs or waits");
    this.element.replaceChildren(this.list.element, all);
    queue.start(signal);
  }

  hide() {
    this.leaving?.abort();
    this.list?.stop();
    this.list = null;
    this.element.replaceChildren();
  }

  /** Conversations about the object of this page, and about none, are shown here; others have their own page. */
  opened({ object, url, sessionId }) {
    const { context } = this.panel;
    const here = object?.type === context?.type && object?.id === context?.id;
    if (url && !here) return false;
    this.panel.tabs.show("chat");
    this.panel.open(sessionId);
    return true;
  }
}

/** What it is made of, null where it could not be loaded. */
function load() {
  return Promise.all([import("../../queue/queue.js"), import("../../queue/list.js")]).catch(() => null);
}
