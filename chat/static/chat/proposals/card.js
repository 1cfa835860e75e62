/* One proposal as a card: what would change, why, and the decision. Used by answers of the widget and by the inbox.
 *
 * Keys while the card itself has the focus: a approves, e edits, r rejects.
 */

import { diffList, isPage, proposalTitle, visible } from "../../graphs/diff.js";
import { t } from "../../graphs/strings.js";
import { arrange, h } from "../widget/elements.js";
import { icon } from "../widget/icons.js";
import { momentText } from "../widget/words.js";
import { textButton } from "../widget/view/buttons.js";
import { mayBeEdited } from "./arguments.js";
import { conflictList } from "./conflicts.js";
import { EditForm, rejectForm } from "./edit.js";
import { isCut, isPending, statusOf, wasEdited } from "./proposal.js";
import { Rest } from "./rest.js";
import { askedText, outcomeText, statusText, untilText } from "./words.js";

/** What of a proposal a card shows, beside whether it may be edited. */
const SHOWN = [
  "status", "diff", "counts", "cut", "reason", "askedBy", "expiresAt", "decidedBy", "decidedAt", "decidedArguments", "edited",
  "feedback", "problem", "changeSetId", "undoneBy", "conflicts", "askedAgain",
];
const SIGNS = { pending: "question", applied: "check", undone: "retry", rejected: "close" };

export class ProposalCard {
  /** `decisions` decides (decisions.js); without `mayDecide` there are no buttons. `actions` are {show, showText, undo, redo,
   * owner?}; without a text for its button it cannot be shown elsewhere.
   */
  constructor(decisions, { mayDecide, actions = {} }) {
    this.decisions = decisions;
    this.mayDecide = mayDecide;
    this.actions = actions;
    this.proposal = null;
    /** view | edit | preview | reject */
    this.mode = "view";
    this.busy = "";
    this.problem = "";
    this.preview = null;
    this.form = null;
    this.askedAgain = false;
    this.parts = {};
    const on = { keydown: (event) => this.keyed(event) };
    this.element = h("section", { class: "proposal", tabIndex: 0, role: "group", on });
    this.rest = new Rest(this.element, () => this.decisions.whole(this.proposal), () => this.render());
  }

  update(proposal) {
    const before = this.proposal;
    this.proposal = proposal;
    // What is read later of one that an event told is mostly what no card shows: nobody's button is drawn anew for it.
    if (before && looksAlike(before, proposal)) return;
    const { diff, status } = before ?? {};
    if (proposal.diff !== diff || proposal.status !== status) {
      this.wasOpen = Boolean(this.parts.diff?.open);
      this.parts.diff = null;
    }
    if (!isPending(proposal)) Object.assign(this, { mode: "view", preview: null, form: null, busy: "" });
    this.render();
  }

  render() {
    const { proposal } = this;
    const status = statusOf(proposal);
    const title = proposalTitle(proposal);
    const held = this.element.matches(":focus-within");
    this.element.dataset.status = status;
    this.element.dataset.id = proposal.id;
    this.element.setAttribute("aria-label", `${title}: ${statusText(status)}`);
    const keys = this.mayDecide && status === "pending" ? "a e r" : "";
    this.element.setAttribute("aria-keyshortcuts", keys);
    const shown = [this.head(title, status), this.reason(), this.diff(status), ...this.bottom(status)];
    arrange(this.element, shown.filter(Boolean));
    if (held && !this.element.matches(":focus-within")) this.element.focus({ preventScroll: true });
    if (this.isPartial) this.rest.whenSeen(proposal.status);
  }

  /** Whether something that stands open in the card is not whole. */
  get isPartial() {
    const { proposal } = this;
    return isPending(proposal) ? isCut(proposal, "diff") : isCut(proposal, "conflicts");
  }

  head(title, status) {
    const state = h("span", { class: "proposal-status", text: statusText(status) });
    const sign = h("span", { class: "proposal-sign" }, icon(SIGNS[status] ?? "warning"));
    return h("header", { class: "proposal-head" }, sign, h("h4", { text: title, dir: "auto" }), state);
  }

  reason() {
    const { reason } = this.proposal;
    return reason ? h("p", { class: "proposal-reason", dir: "auto", text: visible(reason) }) : null;
  }

  /** Open while it waits; afterwards behind a line. A preview takes the place of what was proposed. */
  diff(status) {
    if (this.preview) return h("div", { class: "proposal-diff edited" }, diffList(this.preview.diff));
    this.parts.diff ??= status === "pending"
      ? h("div", { class: "proposal-diff" }, diffList(this.proposal.diff))
      : folded(this.proposal, { open: this.wasOpen, read: () => this.rest.read() });
    return this.parts.diff;
  }

  bottom(status) {
    if (status !== "pending") return [this.outcome(), ...(this.busy ? [this.busyLine()] : this.afterwards(status))];
    if (!this.mayDecide) return [this.facts()];
    if (this.busy) return [this.busyLine()];
    // Nobody decides about what they have not been shown.
    if (isCut(this.proposal, "diff")) return [this.facts(), ...this.rest.lines];
    if (this.mode === "edit" || this.mode === "reject") return [this.form.element];
    return [this.facts(), this.problemLine(), this.choices()];
  }

  busyLine() {
    return h("p", { class: "proposal-busy", role: "status" }, h("span", { class: "spinner" }), this.busy);
  }

  facts() {
    const { askedBy, expiresAt } = this.proposal;
    const until = expiresAt ? t("Expires {when}.", { when: untilText(expiresAt) }) : "";
    const note = this.preview ? t("This is what will be applied, as you edited it.") : askedText(askedBy);
    const text = [note, until].filter(Boolean).join(" ");
    return h("p", { class: "proposal-facts" }, h("span", { text, title: momentText(expiresAt) }), this.showButton());
  }

  showButton() {
    const { show, showText } = this.actions;
    if (!showText || this.proposal.diff.some(isPage)) return null;
    const click = () => show(this.proposal);
    return h("button", { class: "link", type: "button", text: showText, on: { click } });
  }

  /** Buttons stay where they are while more is read of a proposal: whoever presses one then has pressed it. */
  choices() {
    if (this.preview) {
      const approve = textButton(t("Approve as edited"), () => this.approve(), "primary");
      return h("div", { class: "proposal-actions" }, approve, textButton(t("Back"), () => this.turnTo("edit")));
    }
    this.parts.choices ??= {
      box: h("div", { class: "proposal-actions" }),
      approve: keyButton(t("Approve"), "a", () => this.approve(), "primary"),
      edit: keyButton(t("Edit"), "e", () => this.edit()),
      reject: keyButton(t("Reject"), "r", () => this.reject(), "danger"),
    };
    const { box, approve, edit, reject } = this.parts.choices;
    arrange(box, mayBeEdited(this.proposal) ? [approve, edit, reject] : [approve, reject]);
    return box;
  }

  outcome() {
    const { feedback, problem } = this.proposal;
    const why = problem ? h("p", { dir: "auto", text: visible(problem) }) : null;
    const said = feedback ? h("q", { dir: "auto", text: visible(feedback) }) : null;
    return h("div", { class: "proposal-outcome" }, h("p", { text: outcomeText(this.proposal) }), why, said);
  }

  /** What can be done about one that is decided. */
  afterwards(status) {
    const { actions, proposal } = this;
    const { conflicts, changeSetId } = proposal;
    if (status === "stale" || status === "expired") {
      return [conflictList(conflicts ?? []), this.again(), this.problemLine()];
    }
    if (!changeSetId || !this.mayDecide) return [];
    const button = status === "undone"
      ? textButton(t("Redo"), () => actions.redo(proposal))
      : textButton(t("Undo"), () => actions.undo(proposal));
    return [h("div", { class: "proposal-actions" }, button)];
  }

  /** In a conversation of somebody else only they can ask for it. */
  again() {
    const { owner } = this.actions;
    if (!this.mayDecide || (owner && !owner(this.proposal))) return null;
    if (this.askedAgain || this.proposal.askedAgain) {
      return h("p", { role: "status", text: t("The assistant was asked to propose it again.") });
    }
    const again = textButton(t("Propose again"), () => this.proposeAgain(), "primary");
    return h("div", { class: "proposal-actions" }, again);
  }

  problemLine() {
    return this.problem ? h("p", { class: "proposal-problem", role: "alert", text: this.problem }) : null;
  }

  // What a person does

  keyed(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Escape" && this.mode !== "view" && !this.busy) {
      event.preventDefault();
      event.stopPropagation();
      this.leave();
    } else if (plain && event.target === this.element) this.press(event);
  }

  /** Does what the key `a`, `e` or `r` means; true where it means something now. A key that is held means it once. */
  press(event) {
    const meant = { a: () => this.approve(), e: () => this.edit(), r: () => this.reject() }[event.key.toLowerCase()];
    const { proposal, mode } = this;
    const shown = isPending(proposal) && !isCut(proposal, "diff") && ["view", "preview"].includes(mode);
    const ready = this.mayDecide && shown && !this.busy;
    if (!meant || !ready || event.repeat) return false;
    event.preventDefault();
    meant();
    return true;
  }

  approve() {
    const { preview } = this;
    const choice = preview
      ? { approved: true, editedArguments: preview.arguments, digest: preview.digest }
      : { approved: true, digest: this.proposal.digest };
    return this.work(t("Applying…"), () => this.decisions.decide(this.proposal, choice));
  }

  async edit() {
    if (!mayBeEdited(this.proposal)) return;
    await this.work(t("Loading…"), async () => {
      const whole = await this.decisions.whole(this.proposal);
      const preview = (edited) => this.showPreview(edited);
      this.form = new EditForm(whole, { preview, cancel: () => this.leave() });
      this.preview = null;
      this.mode = "edit";
    });
    if (this.mode === "edit") this.form.focus();
  }

  async showPreview(edited) {
    const { form } = this;
    await this.work(t("Looking…"), async () => {
      this.preview = { ...(await this.decisions.api.preview(this.proposal.id, edited)), arguments: edited };
      this.mode = "preview";
    });
    form.problem.textContent = this.problem;
    this.element.querySelector(".proposal-actions .primary")?.focus();
  }

  reject() {
    const send = (feedback) =>
      this.work(t("Rejecting…"), () =>
        this.decisions.decide(this.proposal, { approved: false, ...(feedback && { feedback }) }));
    this.form = rejectForm(send, () => this.leave());
    this.turnTo("reject");
  }

  proposeAgain() {
    return this.work(t("Asking…"), async () => {
      await this.decisions.api.proposeAgain(this.proposal.id);
      this.askedAgain = true;
    });
  }

  leave() {
    this.preview = null;
    this.turnTo("view");
    this.element.focus({ preventScroll: true });
  }

  turnTo(mode) {
    this.mode = mode;
    if (mode !== "preview") this.preview = null;
    this.problem = "";
    this.render();
    if (mode === "edit" || mode === "reject") this.form.focus();
  }

  /** One thing at a time; what went wrong stands in the card. */
  async work(text, act) {
    if (this.busy) return;
    this.busy = text;
    this.problem = "";
    this.render();
    try {
      await act();
    } catch (error) {
      this.problem = error.message;
    }
    this.busy = "";
    this.render();
  }
}

function looksAlike(before, proposal) {
  const alike = SHOWN.every((name) => (before[name] ?? null) === (proposal[name] ?? null));
  return alike && mayBeEdited(before) === mayBeEdited(proposal);
}

function keyButton(text, key, click, kind) {
  const button = textButton(text, click, kind);
  button.title = `${text} (${key.toUpperCase()})`;
  return button;
}

/** What is not whole is asked for when it is opened. */
function folded(proposal, { open, read }) {
  const { diff } = proposal;
  const text = wasEdited(proposal) ? t("What was applied, as edited") : t("What was proposed");
  const details = h("details", { class: "proposal-diff" }, h("summary", { text }));
  details.addEventListener("toggle", () => {
    if (details.childElementCount === 1) details.append(diffList(diff));
    if (details.open && isCut(proposal, "diff")) read();
  });
  details.open = Boolean(open);
  return details;
}
