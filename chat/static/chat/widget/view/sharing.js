/* With whom a conversation is shared: members, and links that anybody reads it by. Shown in its row of the menu. */

import { t } from "../../../graphs/strings.js";
import { copyText } from "../clipboard.js";
import { h } from "../elements.js";
import { momentText } from "../words.js";
import { iconButton, textButton } from "./buttons.js";

/** Days that a link may last. */
const DAYS = [1, 7, 30, 90];
const DAY_MS = 86_400_000;
/** So that the longest is not refused for the time that the request takes, or a clock that is a little ahead. */
const MARGIN_MS = 600_000;

export class SharingCard {
  /** `done` closes it. It reads what there is when it is made. */
  constructor(api, session, done) {
    Object.assign(this, { api, session });
    this.given = null;
    this.link = null;
    this.note = h("p", { class: "menu-note", role: "status", text: t("Loading…") });
    this.body = h("div", { class: "sharing-body" });
    const name = t("Share {title}", { title: session.title || t("New conversation") });
    const head = h("div", { class: "sharing-head" }, this.note, textButton(t("Done"), done));
    this.element = h("div", { class: "sharing", role: "group", "aria-label": name }, head, this.body);
    this.attempt(() => this.load());
  }

  async load() {
    this.given = await this.api.shares(this.session.id);
    this.render();
  }

  /** Does something and shows how it is then, or why not. */
  async attempt(work, done = "") {
    this.note.textContent = "";
    this.body.inert = true;
    try {
      await work();
      this.note.textContent = done;
    } catch (error) {
      this.note.textContent = error.message;
    }
    this.body.inert = false;
  }

  share(body, done) {
    return this.attempt(async () => {
      const { link } = await this.api.share(this.session.id, body);
      this.link = link ?? this.link;
      await this.load();
    }, done);
  }

  unshare(id, done) {
    return this.attempt(async () => {
      await this.api.unshare(this.session.id, id);
      if (this.link?.id === id) this.link = null;
      await this.load();
    }, done);
  }

  render() {
    this.body.replaceChildren(
      h("h3", { text: t("Members") }),
      h("p", { class: "sharing-about", text: t("They see all of it, also what tools found in your other conversations.") }),
      this.members(), this.newMember(),
      h("h3", { text: t("Links") }),
      h("p", { class: "sharing-about", text: t("Whoever has a link reads the conversation, without signing in.") }),
      this.links(), this.newLink(),
    );
  }

  members() {
    return h("ul", { class: "sharing-list" }, ...this.given.shares.map((share) => this.member(share)));
  }

  member({ id, user, access }) {
    const choice = accessChoice(access, t("What {name} may do", { name: user }));
    choice.addEventListener("change", () => this.share({ user, access: choice.value }, t("Changed.")));
    const remove = iconButton("close", t("Stop sharing with {name}", { name: user }), "session-tool", () =>
      this.unshare(id, t("No longer shared with {name}.", { name: user })));
    return h("li", {}, h("span", { class: "sharing-name", text: user }), choice, remove);
  }

  newMember() {
    const shared = new Set(this.given.shares.map(({ user }) => user));
    const names = this.given.people.filter((name) => !shared.has(name));
    if (names.length === 0) {
      return h("p", { class: "sharing-about", text: t("There is nobody else in this workspace to share it with.") });
    }
    const person = h("select", { class: "field", "aria-label": t("Member") }, ...names.map((name) => h("option", { text: name })));
    const access = accessChoice("read", t("What they may do"));
    const form = h("form", { class: "sharing-new" }, person, access, h("button", { class: "button", text: t("Share") }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.share({ user: person.value, access: access.value }, t("Shared with {name}.", { name: person.value }));
    });
    return form;
  }

  links() {
    return h("ul", { class: "sharing-list" }, ...this.given.links.map((link) => this.oldLink(link)));
  }

  oldLink({ id, expiresAt, reasoning, toolResults }) {
    const shown = [reasoning ? t("reasoning") : "", toolResults ? t("tool results") : ""].filter(Boolean);
    const until = t("Until {when}", { when: momentText(expiresAt) });
    const text = shown.length ? `${until} · ${shown.join(", ")}` : until;
    const remove = iconButton("close", t("Revoke this link"), "session-tool", () => this.unshare(id, t("The link leads nowhere now.")));
    const line = h("li", {}, h("span", { class: "sharing-name", text }), remove);
    if (this.link?.id !== id) return line;
    return h("li", { class: "sharing-fresh" }, line, this.fresh(this.link));
  }

  /** The address, which nobody can look up later. */
  fresh({ url }) {
    const address = new URL(url, location.href).href;
    const field = h("input", { class: "field", readOnly: true, value: address, "aria-label": t("Address of the link") });
    field.addEventListener("focus", () => field.select());
    const copy = textButton(t("Copy"), async () => {
      this.note.textContent = (await copyText(address)) ? t("Copied.") : t("Copying is not allowed here.");
    });
    const about = h("p", { class: "sharing-about", text: t("Copy it now: it is not shown again.") });
    return h("div", { class: "sharing-address" }, field, copy, about);
  }

  newLink() {
    const days = h("select", { class: "field", "aria-label": t("How long it lasts") }, ...DAYS.map((count) =>
      h("option", { value: count, text: count === 1 ? t("1 day") : t("{count} days", { count }) })));
    days.value = "7";
    const [reasoning, withReasoning] = tick(t("with reasoning"));
    const [toolResults, withToolResults] = tick(t("with tool results"));
    const make = h("button", { class: "button", text: t("Make a link") });
    const form = h("form", { class: "sharing-new" }, days, withReasoning, withToolResults, make);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const expiresAt = new Date(Date.now() + Number(days.value) * DAY_MS - MARGIN_MS).toISOString();
      const shown = { reasoning: reasoning.checked, toolResults: toolResults.checked };
      this.share({ link: true, expiresAt, ...shown }, t("The link is made."));
    });
    return form;
  }
}

function accessChoice(access, label) {
  const choices = [["read", t("may read")], ["write", t("may write along")]];
  const select = h("select", { class: "field", "aria-label": label }, ...choices.map(([value, text]) => h("option", { value, text })));
  select.value = access;
  return select;
}

function tick(text) {
  const box = h("input", { type: "checkbox" });
  return [box, h("label", { class: "sharing-tick" }, box, h("span", { text }))];
}
