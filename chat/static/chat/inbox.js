/* <proposal-inbox>: what waits for a decision in the workspace, as a list and the card of the one that is chosen.
 *
 * Attributes: workspace, api, user-name, may-edit. The page brings the first list as JSON in #inbox-data, with the
 * address of each proposal on the page of its object; further ones are read from the same page. Keys are told in docs/widget.md.
 */

import { proposalTitle } from "../graphs/diff.js";
import { t } from "../graphs/strings.js";
import { InboxList } from "./inbox/list.js";
import { News, waitingIn } from "./inbox/news.js";
import { inboxSheets } from "./inbox/styles.js";
import { ProposalCard } from "./proposals/card.js";
import { Decisions } from "./proposals/decisions.js";
import { isPending, withProposal } from "./proposals/proposal.js";
import { UndoBar } from "./proposals/undo-bar.js";
import { ChatApi } from "./widget/api.js";
import { h } from "./widget/elements.js";
import { icon } from "./widget/icons.js";
import { textButton } from "./widget/view/buttons.js";

const TYPING = "input, textarea, select";
const FILTERS = ["object", "person"];

class ProposalInbox extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = inboxSheets;
    const workspace = this.getAttribute("workspace") ?? "";
    this.api = new ChatApi({ base: this.getAttribute("api"), workspace, context: null });
    this.mayDecide = this.hasAttribute("may-edit");
    this.proposals = [];
    this.chosen = null;
    this.cards = new Map();
    this.decisions = new Decisions(this.api);
    this.decisions.addEventListener("changed", ({ detail }) => this.take(withProposal(this.proposals, detail)));
    this.decisions.addEventListener("decided", ({ detail }) => this.decided(detail));
    this.build(root);
    this.news = new News((results) => this.heard(results));
    this.take(waitingIn(document));
    this.showAddressed(new URLSearchParams(location.search).get("proposal"));
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    this.news.start(signal);
    document.addEventListener("countersign:taken-back", ({ detail }) => this.takenBack(detail), { signal });
    this.list.element.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    this.listeners.abort();
  }

  /** Of those that were decided since the page was opened, some were undone or done again, somewhere. */
  takenBack({ changeSets }) {
    this.decisions.refreshAll(this.proposals.filter(({ changeSetId }) => changeSets.includes(changeSetId)));
  }

  build(root) {
    this.list = new InboxList((id) => this.choose(id, { open: true }));
    this.bar = new UndoBar(this.api, this.decisions);
    this.said = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
    this.detail = h("div", { class: "inbox-detail" });
    this.help = helpCard();
    const back = textButton(t("Back to the list"), () => this.toList(), "inbox-back");
    const hint = textButton(t("Keys (?)"), () => this.toggleHelp(), "inbox-keys");
    const side = h("div", { class: "inbox-side" }, back, this.detail, this.help, hint);
    this.frame = h("div", { class: "inbox", on: { keydown: (event) => this.keyed(event) } }, this.list.element, side);
    root.replaceChildren(this.frame, this.bar.element, this.said);
  }

  /** `?proposal=ID`, which may be decided already, or stand on another page. */
  async showAddressed(id) {
    if (!id) return;
    if (!this.proposals.some((each) => each.id === id)) await this.decisions.refresh({ id }).catch(() => {});
    if (this.proposals.some((each) => each.id === id)) this.choose(id, { open: true });
  }

  /** What the server has now; who is gone from its list was decided, here or elsewhere. */
  heard(results) {
    let next = this.proposals;
    for (const proposal of results) next = withProposal(next, proposal);
    const gone = next.filter((each) => isPending(each) && !results.some(({ id }) => id === each.id));
    for (const proposal of gone) this.decisions.refresh(proposal).catch(() => {});
    const fresh = next.length - this.proposals.length;
    if (fresh > 0) this.said.textContent = t("A new change waits.");
    this.take(next);
  }

  take(proposals) {
    this.proposals = proposals;
    const known = proposals.some(({ id }) => id === this.chosen);
    if (!known) this.chosen = proposals.find(isPending)?.id ?? null;
    this.render();
  }

  get current() {
    return this.proposals.find(({ id }) => id === this.chosen) ?? null;
  }

  /** Goes on to the next that waits, from the top where none is below; the last one stays. */
  decided(proposal) {
    this.bar.offer(proposal);
    if (proposal.id !== this.chosen) return;
    const at = this.proposals.findIndex(({ id }) => id === this.chosen);
    const order = [...this.proposals.slice(at + 1), ...this.proposals.slice(0, at)];
    const next = order.find(isPending);
    this.said.textContent = next ? proposalTitle(next) : t("Nothing else waits.");
    if (!next) return;
    this.choose(next.id);
    this.list.element.focus({ preventScroll: true });
  }

  choose(id, { open = false } = {}) {
    this.chosen = id;
    if (open) this.frame.classList.add("detail-open");
    this.render();
  }

  toList() {
    this.frame.classList.remove("detail-open");
    this.list.element.focus();
  }

  render() {
    const { current } = this;
    this.list.update(this.proposals, this.chosen);
    this.frame.classList.toggle("nothing", this.proposals.length === 0);
    if (!current) {
      this.detail.replaceChildren(emptyState());
      return;
    }
    const card = this.card(current);
    if (this.detail.firstChild !== card.element) this.detail.replaceChildren(card.element);
  }

  card(proposal) {
    if (!this.cards.has(proposal.id)) {
      const actions = {
        show: ({ address }) => location.assign(address),
        showText: proposal.address ? t("Show on its page") : "",
        undo: (each) => this.bar.undo(each),
        redo: (each) => this.bar.redo(each),
        owner: (each) => each.owner === this.getAttribute("user-name"),
      };
      this.cards.set(proposal.id, new ProposalCard(this.decisions, { mayDecide: this.mayDecide, actions }));
    }
    const card = this.cards.get(proposal.id);
    card.update(proposal);
    return card;
  }

  // Keys: they mean something while the focus is in here and nobody types.

  keyed(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.defaultPrevented || !plain || event.target.matches(TYPING)) return;
    const steps = { j: 1, k: -1, ...(event.target === this.list.element && { ArrowDown: 1, ArrowUp: -1 }) };
    const meant = event.key in steps
      ? () => this.step(steps[event.key])
      : { "?": () => this.toggleHelp(), Escape: () => this.escape() }[event.key];
    if (meant) {
      event.preventDefault();
      meant();
    } else if (event.key === "Enter" && event.target === this.list.element && this.current?.address) {
      location.assign(this.current.address);
    } else if (this.current) this.pressed(event);
  }

  pressed(event) {
    if (this.card(this.current).press(event)) this.frame.classList.add("detail-open");
  }

  step(by) {
    const at = this.proposals.findIndex(({ id }) => id === this.chosen);
    const next = this.proposals[Math.max(0, Math.min(this.proposals.length - 1, at + by))];
    if (!next) return;
    this.list.element.focus({ preventScroll: true });
    this.choose(next.id);
  }

  escape() {
    if (this.help.hidden) this.toList();
    else this.toggleHelp();
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
  }
}

/** Behind filters something may wait all the same. */
function emptyState() {
  if (FILTERS.some((name) => new URLSearchParams(location.search).get(name))) return filteredState();
  return h(
    "div",
    { class: "inbox-empty" },
    icon("check"),
    h("h2", { text: t("Nothing waits") }),
    h("p", { class: "muted", text: t("What the assistant wants to change is shown here for a decision.") }),
  );
}

function filteredState() {
  const all = new URL(location.href);
  for (const name of [...FILTERS, "cursor"]) all.searchParams.delete(name);
  return h(
    "div",
    { class: "inbox-empty" },
    h("h2", { text: t("Nothing that waits fits these filters") }),
    h("a", { class: "button", href: all.href, text: t("Show all") }),
  );
}

function helpCard() {
  const keys = [
    ["j k ↑ ↓", t("next and previous")],
    ["a", t("approve")],
    ["e", t("edit, then preview")],
    ["r", t("reject, with a word to the assistant")],
    ["Enter", t("open its page")],
    ["Esc", t("leave a form, back to the list")],
    ["?", t("show or hide these keys")],
  ];
  const rows = keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text })]);
  return h("dl", { class: "inbox-help", hidden: true }, ...rows);
}

customElements.define("proposal-inbox", ProposalInbox);
