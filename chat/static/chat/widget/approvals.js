/* What ties proposals to the conversation and the page: decisions, the bar that undoes them, and finding a card. */

import { Decisions } from "../proposals/decisions.js";
import { UndoBar } from "../proposals/undo-bar.js";

export class Approvals {
  /** `showText` is the button that shows a proposal on the page, if the page can. */
  constructor({ api, conversation, mayDecide, showText }) {
    this.decisions = new Decisions(api);
    this.bar = new UndoBar(api, this.decisions);
    this.mayDecide = mayDecide;
    this.showText = showText;
    this.decisions.addEventListener("changed", ({ detail }) => conversation.decided(detail));
    this.decisions.addEventListener("decided", ({ detail }) => this.bar.offer(detail));
    this.decisions.addEventListener("refused", ({ detail }) => {
      if (detail.sessionId !== conversation.id) this.bar.refused(detail);
    });
    this.conversation = conversation;
    conversation.addEventListener("event", ({ detail }) => this.happened(detail));
  }

  start(signal) {
    document.addEventListener("countersign:taken-back", ({ detail }) => this.takenBack(detail), { signal });
  }

  /** Of cards whose changes were undone or done again, somewhere. */
  takenBack({ changeSets }) {
    const shown = this.conversation.transcript.messages.flatMap(({ proposals }) => proposals);
    this.decisions.refreshAll(shown.filter(({ changeSetId }) => changeSets.includes(changeSetId)));
  }

  /** What the cards of answers need. */
  get context() {
    return {
      decisions: this.decisions,
      mayDecide: this.mayDecide,
      show({ id }) {
        document.dispatchEvent(new CustomEvent("countersign:select-proposal", { detail: { id, from: "chat" } }));
      },
      showText: this.showText,
      undo: (proposal) => this.bar.undo(proposal),
      redo: (proposal) => this.bar.redo(proposal),
    };
  }

  /** An event tells less than the API: neither arguments, nor labels in the reader's language, nor what was edited. For
   * what is too long for an event the card asks when it is seen. */
  happened(frame) {
    const small = frame.type === "ai:proposal" && !frame.cut?.length;
    if (small || frame.edited) this.decisions.refresh({ id: frame.proposalId }).catch(() => {});
  }
}
