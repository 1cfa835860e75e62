/* <object-generations>: buttons that let a model write fields of the page's object, and a block for each that is at work.
 *
 * Whoever began one, every open page of the object shows it live, as the chat shows an answer. Attributes: `offers`
 * [{prompt, label, counts}], `latest` [{runId, promptId, state, progress, waitsFor, error, after, createdAt}].
 */

import { t } from "../graphs/strings.js";
import { Decisions } from "./proposals/decisions.js";
import { ChatApi } from "./widget/api.js";
import { h } from "./widget/elements.js";
import { FollowedStream } from "./widget/followed-stream.js";
import { pageSocket } from "./widget/socket.js";
import { emptyTranscript, fold } from "./widget/transcript.js";
import { GenerationBlock } from "./generations/block.js";
import { GenerationForm } from "./generations/form.js";

const LIVE = new Set(["queued", "running"]);

class ObjectGenerations extends HTMLElement {
  connectedCallback() {
    const at = (name) => this.getAttribute(name);
    const object = { type: at("object-type"), id: at("object-id") };
    this.api = new ChatApi({ base: at("api"), workspace: at("workspace"), context: object });
    this.decisions = new Decisions(this.api);
    this.offers = new Map(JSON.parse(at("offers")).map((offer) => [offer.prompt, offer]));
    this.blocks = new Map();
    this.list = h("div", { class: "generation-list" });
    this.problem = h("p", { class: "generation-problem", role: "alert", hidden: true });
    this.form = this.hasAttribute("may-edit") ? new GenerationForm([...this.offers.values()], (...asked) => this.begin(...asked)) : null;
    this.replaceChildren(...(this.form ? [this.form.element] : []), this.problem, this.list);
    const latest = JSON.parse(at("latest"));
    for (const told of [...latest].reverse()) this.block(told.runId, told.promptId).tell(told);
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    document.addEventListener("countersign:ended", (event) => this.ended(event), { signal });
    this.settled = new Set(latest.filter(({ state }) => !LIVE.has(state)).map(({ runId }) => runId));
    this.follow(object, latest.map(({ after }) => after).filter((after) => after !== null));
  }

  disconnectedCallback() {
    this.leaving.abort();
  }

  /** What is shown here is not told once more. */
  ended(event) {
    if (!document.hidden && this.blocks.has(event.detail.runId)) event.preventDefault();
  }

  /** Reads from where the first of those that are shown began. */
  follow(object, begun) {
    const socket = pageSocket(this.getAttribute("socket"), this.getAttribute("workspace"));
    this.followed = new FollowedStream({ api: this.api, socket, object });
    if (begun.length > 0) this.followed.last = Math.min(...begun);
    this.transcript = null;
    this.followed.addEventListener("frame", ({ detail }) => this.heard(detail));
    this.followed.addEventListener("caught-up", ({ detail }) => detail.first && this.refresh());
    this.followed.start(this.leaving.signal);
  }

  heard(frame) {
    const { type, runId, promptId, messageId } = frame;
    const told = type === "ai:generation";
    const known = this.blocks.has(runId) || (told && this.offers.has(promptId));
    if (!known && type !== "ai:decision") return;
    this.transcript = fold(this.transcript ?? emptyTranscript(frame.sequence - 1), frame);
    if (type === "ai:decision") this.decided();
    if (!known) return;
    const news = told && !this.settled.has(runId);
    if (news) this.block(runId, promptId).tell(frame);
    this.block(runId).show(this.transcript.messages.find(({ id }) => id === messageId));
    if (news && frame.state !== "running") this.ask(runId);
  }

  /** Somebody decided on something of the object: of what came of a generation, it shows and asks. */
  decided() {
    for (const { id, runId } of this.transcript.messages) {
      this.blocks.get(runId)?.show(this.transcript.messages.find((message) => message.id === id));
    }
    for (const [runId, block] of this.blocks) if (block.state === "waiting") this.ask(runId);
  }

  block(runId, promptId = "") {
    if (!this.blocks.has(runId)) {
      const label = this.offers.get(promptId)?.label ?? promptId;
      const mayEdit = this.hasAttribute("may-edit");
      const cancel = () => this.cancel(runId);
      const block = new GenerationBlock(label, { decisions: this.decisions, mayEdit, cancel, told: () => this.showLive() });
      this.blocks.set(runId, block);
      this.list.prepend(block.element);
    }
    return this.blocks.get(runId);
  }

  async begin(prompt, wishes) {
    this.tell("");
    try {
      const { runId } = await this.api.generate(prompt, wishes);
      this.block(runId, prompt).tell({ state: "queued" });
      this.ask(runId);
      return true;
    } catch (refusal) {
      this.tell(refusal.message);
      return false;
    }
  }

  async cancel(runId) {
    this.tell("");
    try {
      this.block(runId).tell(await this.api.cancelGeneration(runId));
    } catch (refusal) {
      this.tell(refusal.message);
    }
  }

  /** What no event tells: why it waits, what it cost, what a model wrote that could not be used. */
  async ask(runId) {
    try {
      const told = await this.api.generation(runId);
      // What came of one that was decided on is at work.
      if (LIVE.has(told.state)) this.settled.delete(runId);
      this.block(runId).tell(told);
    } catch {
      // What was told stays.
    }
  }

  refresh() {
    for (const [runId, block] of this.blocks) if (!block.isOver) this.ask(runId);
  }

  /** Beside the status of the object, which stays what it is. */
  showLive() {
    const mark = document.querySelector("[data-generating]");
    if (mark) mark.hidden = ![...this.blocks.values()].some(({ state }) => LIVE.has(state));
  }

  tell(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }
}

customElements.define("object-generations", ObjectGenerations);
