/* The page's object beside the conversation: reads its stream over the same socket, whoever changes it.
 *
 * On document it dispatches `countersign:object-changed` {object, version, changeSetId}, `countersign:held-changed` {object, kind,
 * count, changeSetId} when something changed that the object holds, came into it or left it, and, whenever the list changes,
 * `countersign:proposals` {object, proposals} with all that wait about the object, and `countersign:taken-back` {changeSets}
 * when some were undone or done again. "change" says that `pending` did.
 */

import { withKnown, withProposal } from "../proposals/proposal.js";
import { FollowedStream } from "./followed-stream.js";

export class PageObject extends EventTarget {
  /** `stream` is the name of the object's stream, if the page knows it; about nothing nothing is read. */
  constructor({ api, socket, context, stream }) {
    super();
    Object.assign(this, { api, context });
    this.pending = [];
    this.asked = 0;
    this.followed = context ? new FollowedStream({ api, socket, stream, object: context }) : null;
    this.followed?.addEventListener("frame", ({ detail }) => this.receive(detail));
    this.followed?.addEventListener("caught-up", ({ detail }) => this.caughtUp(detail));
  }

  start(signal) {
    this.followed?.start(signal);
  }

  caughtUp({ first }) {
    if (first) this.tell("object-changed", { object: this.context, version: null, changeSetId: null });
    this.refresh();
  }

  receive(frame) {
    const { object, version, changeSetId, undoes, kind, count } = frame;
    if (frame.type === "ai:object_changed") {
      this.tell("object-changed", { object, version, changeSetId });
      if (undoes) this.tell("taken-back", { changeSets: undoes });
    } else if (frame.type === "ai:held_changed") this.tell("held-changed", { object, kind, count, changeSetId });
    else if (frame.type === "ai:proposal") this.refresh();
    else if (frame.type === "ai:decision") this.decided({ id: frame.proposalId, status: frame.status });
  }

  /** A newer state of one: gone from here when it was decided. */
  decided(proposal) {
    const known = this.pending.find(({ id }) => id === proposal.id);
    if (!known) return;
    if (proposal.status !== "pending") this.take(this.pending.filter((each) => each !== known));
    else this.take(withProposal(this.pending, proposal));
  }

  /** Asks what waits; of several questions only the last one's answer counts. */
  async refresh() {
    const asked = (this.asked += 1);
    try {
      const { results } = await this.api.pendingProposals(this.context);
      if (asked === this.asked) this.take(withKnown(results, this.pending));
    } catch {
      // What was known stays; the next event asks again.
    }
  }

  take(proposals) {
    this.asked += 1;
    this.pending = proposals;
    this.dispatchEvent(new Event("change"));
    this.tell("proposals", { object: this.context, proposals });
  }

  tell(name, detail) {
    document.dispatchEvent(new CustomEvent(`countersign:${name}`, { detail }));
  }
}
