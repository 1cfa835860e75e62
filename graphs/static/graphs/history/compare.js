// Two versions side by side in one diff: any two that the reader picked, or one and the newest.

import { diffList, unshown } from "../diff.js";
import { html, textButton } from "../dom.js";
import { unlessRefused } from "../requests.js";
import { t } from "../strings.js";

export class Compare {
  #api;
  #picked = [];
  #asked = 0;
  #newest = () => null;
  #bar = html("div", { class: "history-bar", hidden: true });
  #result = html("section", { class: "history-compared card", tabindex: "-1", hidden: true });
  element = html("div", { class: "history-comparing" }, this.#bar, this.#result);

  /** `newest()` gives the newest version that is listed. */
  constructor(api, newest) {
    this.#api = api;
    this.#newest = newest;
  }

  /** `entry` was picked or let go; of three the one picked first is let go. */
  pick(entry, chosen) {
    this.#picked = this.#picked.filter((each) => each !== entry);
    if (chosen) this.#picked.push(entry);
    if (this.#picked.length > 2) this.#picked.shift().compare.checked = false;
    this.#showBar();
  }

  clear() {
    for (const entry of this.#picked) entry.compare.checked = false;
    this.#picked = [];
    this.#asked += 1;
    this.#result.hidden = true;
    this.#showBar();
  }

  /** [older, newer] versions, or null while there are no two. */
  get #versions() {
    const versions = this.#picked.map(({ version }) => version);
    if (versions.length === 1) versions.push(this.#newest());
    versions.sort((a, b) => a - b);
    return versions.length === 2 && versions[0] !== versions[1] ? versions : null;
  }

  #showBar() {
    const versions = this.#versions;
    this.#bar.hidden = this.#picked.length === 0;
    const looks = { class: "button small primary", disabled: !versions };
    const words = versions
      ? t("Version {a} with version {b}", { a: versions[0], b: versions[1] })
      : t("Pick another version to compare this one with.");
    const buttons = [textButton(t("Compare"), () => this.#show(), looks), textButton(t("Cancel"), () => this.clear())];
    this.#bar.replaceChildren(html("span", {}, words), ...buttons);
  }

  async #show() {
    const [a, b] = this.#versions;
    const title = html("h2", {}, t("From version {a} to version {b}", { a, b }));
    const head = html("div", { class: "history-compared-head" }, title, textButton(t("Close"), () => this.clear()));
    this.#asked += 1;
    const asked = this.#asked;
    this.#result.hidden = false;
    this.#result.replaceChildren(head, html("p", { class: "muted", role: "status" }, t("Loading …")));
    this.#result.focus({ preventScroll: true });
    const shown = await this.#diff(a, b);
    if (asked !== this.#asked) return;
    this.#result.replaceChildren(head, ...shown);
    this.#result.scrollIntoView({ block: "nearest" });
  }

  #diff(a, b) {
    return unlessRefused(async () => {
      const { diff, total } = await this.#api.versions(a, b);
      if (!diff.length) return [html("p", {}, t("These versions do not differ."))];
      return [diffList(diff), unshown(total - diff.length)];
    }, ({ message }) => [html("p", { class: "notice error", role: "alert" }, message)]);
  }
}
