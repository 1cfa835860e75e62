/* Time of a replay: which event is the last one shown, and when the next one is due. */

/** With "jump over waiting" no pause is longer. */
const LONGEST_PAUSE_MS = 600;
/** A page that slept does not catch up what it missed. */
const LONGEST_FRAME_MS = 250;

export class Player {
  /** `film` is played; `moved` is called whenever the position or the playing changed. */
  constructor(film, moved) {
    this.film = film;
    this.moved = moved;
    this.position = 0;
    this.playing = false;
    this.speed = 1;
    this.jumping = true;
    this.waited = 0;
    this.seen = 0;
  }

  play() {
    if (this.playing || this.position >= this.film.length) return;
    this.playing = true;
    this.seen = performance.now();
    this.waited = 0;
    requestAnimationFrame((now) => this.tick(now));
    this.moved();
  }

  pause() {
    this.playing = false;
    this.moved();
  }

  /** From the beginning where it had come to the end. */
  toggle() {
    if (this.playing) return this.pause();
    if (this.position >= this.film.length) this.position = 0;
    return this.play();
  }

  seek(position) {
    this.position = Math.min(Math.max(position, 0), this.film.length);
    this.waited = 0;
    this.moved();
  }

  /** By one event; stepping is looking closely, so it stops the playing. */
  step(by) {
    this.playing = false;
    this.seek(this.position + by);
  }

  jump(by) {
    this.seek(this.film.moment(this.position, by));
  }

  tick(now) {
    if (!this.playing) return;
    this.waited += Math.min(now - this.seen, LONGEST_FRAME_MS);
    this.seen = now;
    const before = this.position;
    while (this.position < this.film.length && this.waited >= this.due()) {
      this.waited -= this.due();
      this.position += 1;
    }
    if (this.position >= this.film.length) this.playing = false;
    if (this.position !== before) this.moved();
    if (this.playing) requestAnimationFrame((then) => this.tick(then));
  }

  /** How long the next event lets wait. */
  due() {
    const pause = this.film.pauseBefore(this.position + 1) / this.speed;
    return this.jumping ? Math.min(pause, LONGEST_PAUSE_MS) : pause;
  }
}
