/* The bar under a replay: buttons, slider, speed, and which event is shown. */

import { svg } from "../../graphs/dom.js";
import { t } from "../../graphs/strings.js";
import { language } from "../../graphs/words.js";
import { h } from "../widget/elements.js";

const SPEEDS = [0.5, 1, 2, 5, 10];
/** Outlines in a box of 16 by 16. */
const SIGNS = {
  play: "M4 2l9 6-9 6z",
  pause: "M4 2h3v12h-3z M9 2h3v12h-3z",
  on: "M3 2l7 6-7 6z M11 2h2v12h-2z",
  back: "M13 2l-7 6 7 6z M3 2h2v12h-2z",
  next: "M2 2l6 6-6 6z M8 2l6 6-6 6z",
  previous: "M14 2l-6 6 6 6z M8 2l-6 6 6 6z",
};

export class Controls {
  /** `timeline` and `seen` are the addresses of the pages with all events and with what the model saw, null for none. */
  constructor(player, timeline, seen) {
    this.player = player;
    this.timeline = timeline;
    this.seenAt = seen;
    this.play = button("play", t("Play (space)"), () => player.toggle());
    this.play.classList.add("default");
    this.slider = h("input", {
      type: "range", min: 0, max: 0, step: 1, value: 0, class: "position", "aria-label": t("Event"),
      on: { input: () => player.seek(Number(this.slider.value)) },
    });
    this.event = h(timeline ? "a" : "span", { class: "event" });
    this.seen = h("a", { class: "seen", text: t("What the model saw") });
    this.element = h(
      "div",
      { class: "controls", role: "group", "aria-label": t("Replay") },
      h("div", { class: "steps" }, ...this.buttons()),
      this.slider,
      h("div", { class: "pace" }, ...this.pace()),
      h("p", { class: "shown" }, this.event, " ", this.seen),
    );
  }

  buttons() {
    const { player } = this;
    return [
      button("previous", t("Previous moment (Shift + left)"), () => player.jump(-1)),
      button("back", t("One event back (left)"), () => player.step(-1)),
      this.play,
      button("on", t("One event on (right)"), () => player.step(1)),
      button("next", t("Next moment (Shift + right)"), () => player.jump(1)),
    ];
  }

  pace() {
    const { player } = this;
    const speed = h("select", {}, ...SPEEDS.map((each) => h("option", { value: each, text: `${each}×` })));
    speed.value = String(player.speed);
    speed.addEventListener("change", () => { player.speed = Number(speed.value); });
    const jump = h("input", { type: "checkbox", checked: player.jumping });
    jump.addEventListener("change", () => { player.jumping = jump.checked; });
    return [
      h("label", {}, h("span", { text: t("Speed") }), speed),
      h("label", {}, jump, h("span", { text: t("Jump over waiting") })),
    ];
  }

  update() {
    const { player } = this;
    const { position, film } = player;
    this.play.replaceChildren(drawn(player.playing ? "pause" : "play"));
    this.play.title = player.playing ? t("Pause (space)") : t("Play (space)");
    this.play.setAttribute("aria-label", this.play.title);
    this.slider.max = String(film.length);
    this.slider.value = String(position);
    const text = describe(film, position);
    this.slider.setAttribute("aria-valuetext", text);
    this.event.textContent = text;
    const answer = answerAt(film, position);
    this.seen.hidden = !answer || !this.seenAt;
    if (!this.seen.hidden) this.seen.href = `${this.seenAt}?message=${answer}`;
    if (this.timeline) this.event.href = position ? `${this.timeline}?at=${film.numberOf(position)}` : this.timeline;
  }
}

/** The answer that is being written at this event; none where a person writes. */
function answerAt(film, position) {
  const frame = position ? film.frames[position - 1] : null;
  return frame && frame.event !== "user_message" ? frame.messageId : null;
}

function button(sign, label, click) {
  const looks = { type: "button", class: "button", title: label, "aria-label": label, on: { click } };
  return h("button", looks, drawn(sign));
}

function drawn(sign) {
  return svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] }));
}

function describe(film, position) {
  const count = film.length;
  if (position === 0) return t("Before the first of {count} events", { count });
  const { event: type, createdAt } = film.frames[position - 1];
  const style = { dateStyle: "medium", timeStyle: "medium" };
  const when = new Intl.DateTimeFormat(language(), style).format(Date.parse(createdAt));
  return t("Event {number} of {count} · {type} · {when}", { number: position, count, type, when });
}
