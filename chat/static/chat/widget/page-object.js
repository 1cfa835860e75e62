/* The page's object beside the conversation: reads its stream over the same socket, whoever changes it.
 *
 * On document it dispatches `countersign:object-changed` {object, version, changeSetId} and, whenever the list changes,
 * `countersign:proposals` {graph, proposals} with all that wait about the object. "change" says that `pending` did.
 */

import { withKnown, withProposal } from "../proposals/proposal.js";

export class PageObject extends EventTarget {
  /** `stream` is the name of the object's stream; without one nothing is read. */
  constructor({ api, socket, context, stream }) {
    super();
    Object.assign(this, { api, socket, context, stream });
    /** The number of the last event that was read, null before it is known where to begin. */
    this.last = null;
    this.pending = [];
    this.asked = 0;
    if (!stream || !context) return;
    socket.addEventListener("open", () => this.subscribe());
    socket.addEventListener("frame", ({ detail }) => this.receive(detail));
  }

  async subscribe() {
    const first = this.last === null;
    try {
      this.last ??= await this.api.lastOf(this.stream);
    } catch {
      return; // The next connection tries again.
    }
    const answer = await this.socket.request({ type: "ai:subscribe", stream: this.stream, after: this.last });
    if (answer?.type !== "ai:subscribed") return;
    if (first) this.tell("object-changed", { object: this.context, version: null, changeSetId: null });
    this.refresh();
  }

  receive(frame) {
    if (frame.stream !== this.stream || !(frame.sequence > this.last)) return;
    this.last = frame.sequence;
    const { object, version, changeSetId } = frame;
    if (frame.type === "ai:object_changed") this.tell("object-changed", { object, version, changeSetId });
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
    this.tell("proposals", { graph: this.context.id, proposals });
  }

  tell(name, detail) {
    document.dispatchEvent(new CustomEvent(`countersign:${name}`, { detail }));
  }
}
