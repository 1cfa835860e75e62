/* One message: the person's bubble, or an answer with its reasoning, tool calls, text, error and footer. */

import { t } from "../../../graphs/strings.js";
import { ProposalGroup } from "../../proposals/group.js";
import { h, arrange } from "../elements.js";
import { icon } from "../icons.js";
import { legible } from "../legible.js";
import { Markdown } from "../markdown.js";
import { syncText } from "../markdown/render.js";
import { momentText, timeText, usageText, usageTitle } from "../words.js";
import { askCard } from "./ask.js";
import { iconButton, textButton } from "./buttons.js";
import { ErrorCard } from "./error.js";
import { Keeping } from "./keeping.js";
import { Progress } from "./progress.js";
import { Rating } from "./rating.js";
import { ToolBadge } from "./tool.js";

export class UserMessage {
  /** `actions` are {keep}. */
  constructor(actions) {
    this.message = null;
    this.who = h("div", { class: "author" });
    this.text = h("div", { class: "bubble-text", dir: "auto" });
    this.state = h("div", { class: "sending" });
    this.keeping = new Keeping(actions.keep);
    const parts = [this.who, this.text, this.state, this.keeping.element];
    this.element = h("article", { class: "message user", "aria-label": t("You") }, ...parts);
  }

  /** `owner` is the name of the conversation's owner where that is somebody else. */
  update(message, { owner = "" } = {}) {
    if (message === this.message && owner === this.owner) return;
    this.message = message;
    this.owner = owner;
    this.who.textContent = message.author === null ? owner : message.author ?? "";
    this.element.setAttribute("aria-label", this.who.textContent || t("You"));
    this.text.textContent = message.content;
    this.element.dataset.id = message.id;
    this.element.title = momentText(message.createdAt);
    this.element.classList.toggle("unsent", message.status === "sending");
    this.element.classList.toggle("left-out", message.inPrompt === "left_out");
    this.keeping.element.hidden = !this.keeping.update(message);
    this.state.textContent = message.status === "sending" ? t("Sending…") : "";
  }
}

export class AssistantMessage {
  /** `actions` are {retry, otherModels, answer, deepen, rate, keep, mentions, proposals: {decisions, mayDecide, show, undo}}. */
  constructor(actions) {
    this.actions = actions;
    this.message = null;
    this.context = "";
    this.laid = null;
    this.tools = new Map();
    this.markdown = null;
    this.element = h("article", { class: "message assistant", "aria-label": t("Assistant") });
    this.parts = {};
  }

  /** `last` says that nothing follows it, so that its buttons still mean something; `label` is its model's name, `deeper`
   * that of the next stronger one. */
  update(message, { last, busy, model, label = "", deeper = "" }) {
    const context = [last, busy, model, label, deeper].join();
    if (message === this.message && context === this.context) return;
    this.message = message;
    this.context = context;
    this.element.dataset.status = message.status;
    this.element.classList.toggle("left-out", message.inPrompt === "left_out");
    this.element.dataset.id = message.id;
    this.lay({ last, busy, model, label, deeper });
  }

  /** Sets its parts in their order; false once it is no longer on the page. */
  lay(context = this.laid) {
    const { message } = this;
    const { last, busy, model, label, deeper } = context;
    this.laid = context;
    arrange(this.element, [
      this.deepens(message),
      this.reasoning(message),
      this.toolRow(message),
      this.body(message),
      this.proposals(message),
      this.changes(message),
      this.progress(message),
      this.error(message, last, busy),
      this.ask(message, last, busy),
      this.gaveUp(message, deeper, busy),
      this.footer(message, label || message.model || model, deeper, busy),
      this.parts.rating?.form,
    ].filter(Boolean));
    return this.element.isConnected;
  }

  part(name, build) {
    this.parts[name] ??= build();
    return this.parts[name];
  }

  deepens({ deepens }) {
    if (!deepens) return null;
    const text = t("Goes deeper than the answer before");
    return this.part("deepens", () => h("p", { class: "deepens" }, icon("spark"), h("span", { text })));
  }

  /** Offered where what happened, not what the model said, shows that a stronger one may do better. */
  gaveUp({ gaveUp, id }, deeper, busy) {
    if (!gaveUp || !deeper) return null;
    const line = this.part("gaveUp", () => h("div", { class: "gave-up" }, h("span")));
    line.firstChild.textContent = t("This model came to a limit. A stronger one may do better.");
    const ask = textButton(t("Go deeper with {model}", { model: deeper }), () => this.actions.deepen(id));
    ask.disabled = busy;
    line.replaceChildren(line.firstChild, ask);
    return line;
  }

  reasoning({ reasoning: written, content, status }) {
    if (!written) return null;
    const reasoning = legible(written);
    const details = this.part("reasoning", () => {
      const text = h("div", { class: "reasoning-text", dir: "auto" });
      const summary = h("summary", {}, icon("thought"), h("span", { text: t("Reasoning") }), icon("chevron"));
      return h("details", { class: "reasoning" }, summary, text);
    });
    details.classList.toggle("live", status === "streaming" && !content);
    syncText(details.lastChild, details.lastChild.textContent, reasoning);
    return details;
  }

  /** A call whose proposal stands in the answer needs no badge. */
  toolRow({ toolCalls: made, proposals }) {
    const toolCalls = made.filter(({ id }) => !proposals.some(({ toolCallId }) => toolCallId === id));
    if (toolCalls.length === 0) return null;
    for (const call of toolCalls) {
      if (!this.tools.has(call.id)) this.tools.set(call.id, new ToolBadge(call.id, this.actions.mentions));
      this.tools.get(call.id).update(call);
    }
    const label = t("What the assistant did");
    const row = this.part("tools", () => h("div", { class: "tools", role: "group", "aria-label": label }));
    arrange(row, toolCalls.map(({ id }) => this.tools.get(id).element));
    return row;
  }

  body({ content, status }) {
    if (!content) return null;
    const body = this.part("body", () => h("div", { class: "markdown", dir: "auto" }));
    this.markdown ??= new Markdown(body, this.actions.mentions);
    this.markdown.show(content, { open: status !== "complete" });
    body.classList.toggle("live", status === "streaming");
    return body;
  }

  proposals({ proposals }) {
    if (proposals.length === 0) return null;
    const group = this.part("proposals", () => new ProposalGroup(this.actions.proposals));
    group.update(proposals);
    return group.element;
  }

  /** What was really done, beside what the answer says of it. */
  changes({ changes }) {
    if (!changes) return null;
    const text = changes === 1 ? t("1 change recorded") : t("{count} changes recorded", { count: changes });
    const line = this.part("changes", () => h("p", { class: "changes" }, icon("check"), h("span")));
    line.lastChild.textContent = text;
    return line;
  }

  progress(message) {
    return this.part("progress", () => new Progress(() => this.lay())).line(message);
  }

  error(message, last, busy) {
    if (message.status !== "failed") return null;
    const card = this.part("error", () => new ErrorCard(this.actions));
    card.update(message, last, busy);
    return card.element;
  }

  ask({ ask, status }, last, busy) {
    if (!ask || !last || status === "streaming") return null;
    const card = this.part("ask", () => askCard(ask, (choice) => this.actions.answer(choice)));
    card.inert = busy;
    return card;
  }

  copy(id) {
    const button = this.part("copy", () => iconButton("copy", t("Copy answer"), "copy-answer"));
    button.dataset.copyMessage = id;
    return button;
  }

  footer(message, name, deeper, busy) {
    const { status, content, usage, createdAt, id, changes, proposals, gaveUp } = message;
    const empty = !content && !usage && status !== "stopped";
    if (empty || status === "streaming" || status === "queued") return null;
    const footer = this.part("footer", () => h("footer", { class: "message-footer" }));
    const ending = status === "stopped" ? t("Stopped") : "";
    const nothing = changes === 0 && proposals.length === 0 ? t("No changes recorded") : "";
    const time = timeText(createdAt).replaceAll(" ", "\u00a0");
    const facts = [ending, nothing, name, usageText(usage), time].filter(Boolean);
    const line = this.part("facts", () => h("span", { class: "facts" }));
    line.textContent = facts.join("\u00a0· ");
    line.title = usageTitle(usage);
    const keeping = this.part("keeping", () => new Keeping(this.actions.keep));
    const rating = this.part("rating", () => new Rating(this.actions.rate));
    const rated = content && rating.update(message) ? rating.element : null;
    const tools = [content ? this.copy(id) : null, rated, deeper && !gaveUp ? this.deeper(id, deeper, busy) : null];
    arrange(footer, [...tools.filter(Boolean), line, ...(keeping.update(message) ? [keeping.element] : [])]);
    return footer;
  }

  deeper(id, model, busy) {
    const ask = () => this.actions.deepen(id);
    const button = iconButton("spark", t("Go deeper with {model}", { model }), "deepen-answer", ask);
    button.disabled = busy;
    return button;
  }
}
