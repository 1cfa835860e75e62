/* All that a person can do with proposals, over REST; several views hear what became of them.
 *
 * Events: "changed" {proposal}: a newer state of one; "decided" {proposal}: it was decided here, just now;
 * "refused" {proposal}: that was tried here, and had no effect.
 */

/** The answer tells how things stand: nothing was done, but the card knows it now. */
const TELLING = new Set(["decided", "stale", "expired", "failed"]);

export class Decisions extends EventTarget {
  constructor(api) {
    super();
    this.api = api;
  }

  /** `choice` is {approved, feedback?, editedArguments?, digest?}. Throws what the person has to read. */
  async decide({ id }, choice) {
    try {
      const { proposal } = await this.api.decide(id, choice);
      this.changed(proposal);
      this.tell("decided", proposal);
    } catch (error) {
      if (!TELLING.has(error.code) || !error.body.proposal) throw error;
      this.changed(error.body.proposal);
      this.tell("refused", error.body.proposal);
    }
  }

  /** Each is decided for itself; the sentences of those that could not be. */
  async decideAll(proposals, approved) {
    const { results } = await this.api.decideAll(proposals.map(({ id }) => id), approved);
    const now = results.map(({ proposal }) => proposal).filter(Boolean);
    now.forEach((proposal) => this.changed(proposal));
    for (const { detail, proposal } of results) if (proposal) this.tell(detail ? "refused" : "decided", proposal);
    return results.filter(({ detail }) => detail).map(({ detail }) => detail);
  }

  /** The proposal with its arguments, and its fields in the reader's language; events tell less. */
  async whole(proposal) {
    return proposal.arguments && !proposal.cut?.length ? proposal : this.refresh(proposal);
  }

  async refresh({ id }) {
    const proposal = await this.api.proposal(id);
    this.changed(proposal);
    return proposal;
  }

  /** One after the other; what cannot be had stays as it was. */
  async refreshAll(proposals) {
    for (const proposal of proposals) await this.refresh(proposal).catch(() => {});
  }

  changed(proposal) {
    this.tell("changed", proposal);
  }

  tell(name, proposal) {
    this.dispatchEvent(new CustomEvent(name, { detail: proposal }));
  }
}
