/* <chat-replay>: a conversation as it came about, from the events of its log, as the person saw it.
 *
 * Attributes: `events` (address of the log), `at` (event to begin with), and for the audit `timeline` (page with all
 * events) and `seen` (page with what the model saw). Nothing can be answered or decided here. Keys: space plays and
 * pauses, left and right step by an event, with Shift by a moment, Home and End lead to the ends.
 */

import { t } from "../graphs/strings.js";
import { h } from "./widget/elements.js";
import { sheets } from "./widget/styles.js";
import { MessageList } from "./widget/view/messages.js";
import { Controls } from "./replay/controls.js";
import { Film } from "./replay/film.js";
import { Player } from "./replay/player.js";

const ACTIONS = {
  retry() {}, answer() {}, loadOlder() {}, reload() {}, about: () => ({}), proposals: { mayDecide: false },
};
/** Elements that need their keys for themselves. */
const TYPING = "input:not([type=range]), select, textarea";

class ChatReplay extends HTMLElement {
  connectedCallback() {
    this.film = new Film(this.getAttribute("events"));
    this.player = new Player(this.film, () => this.show());
    this.controls = new Controls(this.player, this.getAttribute("timeline"), this.getAttribute("seen"));
    this.note = h("p", { class: "quiet", role: "status", text: t("Loading the events …") });
    this.stage = h("div", { class: "stage" });
    this.stage.attachShadow({ mode: "open" }).adoptedStyleSheets = sheets;
    this.list = new MessageList(ACTIONS, h("p", { text: t("Nothing has been said yet.") }));
    this.stage.shadowRoot.append(this.list.element);
    this.replaceChildren(this.stage, this.controls.element, this.note);
    this.leave = new AbortController();
    document.addEventListener("keydown", (event) => this.keyed(event), { signal: this.leave.signal });
    this.load();
  }

  disconnectedCallback() {
    this.leave.abort();
    this.player.pause();
  }

  async load() {
    let wanted = Number(this.getAttribute("at")) || 0;
    try {
      await this.film.load(() => {
        if (wanted && this.film.numberOf(this.film.length) >= wanted) {
          this.player.seek(this.film.countTo(wanted));
          wanted = 0;
        } else this.show();
      });
      this.note.textContent = "";
    } catch {
      this.note.textContent = t("Not all events could be read. Reload the page to try again.");
    }
  }

  /** At most once for each picture of the screen. */
  show() {
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.controls.update();
      this.list.update(this.conversation(), false);
    });
  }

  /** What the list of messages reads of a conversation; "answering" keeps every choice closed. */
  conversation() {
    const transcript = this.film.after(this.player.position);
    return { transcript, answering: true, socket: { unreachable: true }, session: null, access: "owner", loading: false };
  }

  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPING)) return;
    const act = this.keys(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  keys({ key, shiftKey, target }) {
    const { player } = this;
    switch (key) {
      case " ": return target.closest?.("button, summary, a") ? null : () => player.toggle();
      case "ArrowLeft": return () => (shiftKey ? player.jump(-1) : player.step(-1));
      case "ArrowRight": return () => (shiftKey ? player.jump(1) : player.step(1));
      case "Home": return () => player.seek(0);
      case "End": return () => player.seek(this.film.length);
      default: return null;
    }
  }
}

customElements.define("chat-replay", ChatReplay);
