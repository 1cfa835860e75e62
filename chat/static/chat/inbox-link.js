/* The link to the inbox on top of every page: how much waits, from the workspace's stream.
 *
 * On document it dispatches `countersign:waiting-changed` when something was proposed or decided, or may have been, and
 * `countersign:taken-back` {changeSets} when changes were undone or done again, and `countersign:toast` {level, text,
 * person, object?} for what somebody began and ended.
 */

import { t } from "../graphs/strings.js";
import { ChatApi } from "./widget/api.js";
import { leaveBehind, leftBefore } from "./widget/between-pages.js";
import { h } from "./widget/elements.js";
import { FollowedStream } from "./widget/followed-stream.js";
import { pageSocket } from "./widget/socket.js";

/** Several that come together are counted once; pages of many people do not ask at the same moment. */
const GATHER_MS = 300;

class InboxLink {
  constructor(element) {
    const { workspace, news, api, socket } = element.dataset;
    this.element = element;
    this.api = new ChatApi({ base: api, workspace, context: null });
    this.followed = new FollowedStream({ api: this.api, socket: pageSocket(socket, workspace), stream: news });
    const { last = null } = leftBefore(news) ?? {};
    this.followed.goOnAfter(last);
    leaveBehind(news, () => (this.followed.last === null ? null : { last: this.followed.last }));
    this.timer = 0;
    this.stale = false;
  }

  start() {
    this.followed.addEventListener("frame", ({ detail }) => this.heard(detail));
    this.followed.addEventListener("caught-up", () => this.later());
    document.addEventListener("visibilitychange", () => this.stale && this.later());
    this.followed.start(new AbortController().signal);
  }

  heard({ type, undoes, ...told }) {
    if (type === "ai:toast") tell("toast", told);
    else if (type === "ai:object_changed") tell("taken-back", { changeSets: undoes ?? [] });
    else this.later();
  }

  later() {
    this.stale = true;
    if (document.hidden || this.timer) return;
    this.timer = setTimeout(() => this.count(), GATHER_MS * (1 + Math.random()));
  }

  async count() {
    this.timer = 0;
    this.stale = false;
    tell("waiting-changed", {});
    try {
      this.show(await this.api.waiting());
    } catch {
      this.stale = true; // The next event, or the next look at the page, tries again.
    }
  }

  show({ count, more }) {
    const text = more ? `${count}+` : String(count);
    const shown = this.element.querySelector(".count");
    if (shown?.firstChild.data === text) return;
    shown?.remove();
    if (count === 0) return;
    const unseen = h("span", { class: "visually-hidden", text: ` ${t("waiting")}` });
    this.element.append(h("span", { class: "count" }, text, unseen));
  }
}

function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(`countersign:${name}`, { detail }));
}

const link = document.querySelector("[data-inbox-link]");
if (link) new InboxLink(link).start();
