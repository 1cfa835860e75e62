// The values of a form: what they were, which of them the person changed, and what others changed meanwhile.

import { InvalidValue } from "./controls.js";

export class Fields {
  #controls;
  #base = {};
  /** What each control gave right after its base was set: it may write the same value differently. */
  #untouched = {};

  /** `controls`: {name: control} of controls.js. */
  constructor(controls) {
    this.#controls = controls;
  }

  load(values) {
    for (const name of Object.keys(this.#controls)) this.#set(name, values[name]);
  }

  /** Fields nobody touched here take the new values; gives the names of those that both changed differently. */
  merge(values) {
    const both = [];
    for (const name of Object.keys(this.#controls)) {
      if (JSON.stringify(this.#base[name]) === JSON.stringify(values[name])) continue;
      if (!this.isChanged(name)) this.#set(name, values[name]);
      else if (this.#read(name) === JSON.stringify(values[name])) this.#settle(name, values[name]);
      else both.push(name);
    }
    return both;
  }

  /** Tells whether something was typed between two moments. */
  get snapshot() {
    return Object.keys(this.#controls).map((name) => this.#read(name)).join("\n");
  }

  /** What was typed is how it is now. */
  adopt() {
    for (const name of this.changed) this.#settle(name, this.#value(name));
  }

  isChanged(name) {
    return this.#read(name) !== this.#untouched[name];
  }

  get changed() {
    return Object.keys(this.#controls).filter((name) => this.isChanged(name));
  }

  /** Whether everything that was changed is something that can be saved. */
  get possible() {
    return this.changed.every((name) => !this.#read(name).startsWith("\n"));
  }

  base(name) {
    return this.#base[name];
  }

  /** {name: value} of what the person changed; raises InvalidValue, and the control has the focus. */
  changes() {
    return Object.fromEntries(this.changed.map((name) => [name, this.#value(name)]));
  }

  values() {
    return Object.fromEntries(Object.keys(this.#controls).map((name) => [name, this.#value(name)]));
  }

  #set(name, value) {
    this.#controls[name].set(value);
    this.#settle(name, value);
  }

  #settle(name, value) {
    this.#base[name] = value;
    this.#untouched[name] = this.#read(name);
  }

  #value(name) {
    try {
      return this.#controls[name].get();
    } catch (error) {
      if (error instanceof InvalidValue) this.#controls[name].input.focus();
      throw error;
    }
  }

  #read(name) {
    try {
      return JSON.stringify(this.#controls[name].get());
    } catch {
      return `\n${this.#controls[name].input.value}`;
    }
  }
}
