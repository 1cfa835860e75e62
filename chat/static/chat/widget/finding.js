/* Finds what the page or the address asks for: a message, or the card of a proposal, also in another conversation.
 *
 * Hears `countersign:open-message` {sessionId, messageId} and `countersign:select-proposal` {id, from} on document, and
 * reads `?session=&message=` or `?proposal=` once.
 */

import { t } from "../../graphs/strings.js";

const MOST_PAGES = 50;

export class Finding {
  /** `panel` shows conversations and messages. */
  constructor(panel) {
    this.panel = panel;
  }

  start(signal) {
    document.addEventListener("countersign:open-message", (event) => {
      event.preventDefault();
      this.message(event.detail.sessionId, event.detail.messageId);
    }, { signal });
    document.addEventListener("countersign:select-proposal", ({ detail: { id, from } }) => {
      if (from !== "chat") this.proposal(id);
    }, { signal });
  }

  /** Whether the address named something in a conversation of the reader, which is then being shown. */
  async asAddressed() {
    const query = new URLSearchParams(this.panel.context ? location.search : "");
    if (query.get("session")) return this.message(query.get("session"), query.get("message"));
    return query.get("proposal") ? this.proposal(query.get("proposal")) : false;
  }

  async message(sessionId, messageId) {
    if (!(await this.open(sessionId))) {
      this.saySomebodyElses();
      return false;
    }
    if (messageId) await this.reveal(`.message[data-id="${CSS.escape(messageId)}"]`);
    return true;
  }

  /** The page stays where it is: what is proposed is looked at in the drawing. */
  async proposal(id) {
    const card = `.proposal[data-id="${CSS.escape(id)}"]`;
    const quietly = { quietly: true };
    if (await this.reveal(card, { pages: 0, ...quietly })) return true;
    const proposal = await this.panel.api.proposal(id).catch(() => null);
    if (!proposal) return false;
    if (await this.open(proposal.sessionId)) return this.reveal(card, quietly);
    if (this.panel.context) await this.panel.object.refresh();
    if (!(await this.reveal(card, { pages: 0, ...quietly }))) this.saySomebodyElses();
    return false;
  }

  /** True where the conversation is shown: others' are not for everybody. */
  async open(sessionId) {
    const { panel } = this;
    panel.dispatchEvent(new Event("wanted"));
    if (panel.conversation.id === sessionId) return true;
    const session = await panel.api.session(sessionId).catch(() => null);
    if (session) await panel.show(sessionId);
    return session !== null;
  }

  saySomebodyElses() {
    this.panel.composer.notify(t("That is in a conversation of somebody else."));
  }

  /** Scrolls to it, reading earlier messages where it is among those; `quietly` no further than the panel. */
  async reveal(selector, { pages = MOST_PAGES, quietly = false } = {}) {
    const { element, conversation, messages } = this.panel;
    await painted();
    for (let page = 0; page < pages && !element.querySelector(selector) && conversation.older; page += 1) {
      await conversation.loadOlder();
      await painted();
    }
    const found = element.querySelector(selector);
    if (!found) return false;
    const box = found.closest("details.others");
    if (box) box.open = true;
    messages.following = false;
    if (quietly) centre(found, box ?? messages.scroller);
    else found.scrollIntoView({ block: "center" });
    found.classList.remove("flash");
    void found.offsetWidth;
    found.classList.add("flash");
    return true;
  }
}

/** Scrolls `box` so that what is in it stands in its middle. */
function centre(found, box) {
  const [inner, outer] = [found.getBoundingClientRect(), box.getBoundingClientRect()];
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}

/** The panel paints at most every 32 ms, with the next frame. */
function painted() {
  return new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 60));
}
