// Numbers that somebody types, and what they are told where they are none.

import { t } from "../strings.js";

/** Says what keeps a value from being saved. */
export class NoValue extends Error {}

/** The number in a control; null where nothing stands in it. Throws NoValue for what is no number. */
export function numberIn(control, label) {
  if (control.validity.badInput || Number.isNaN(control.valueAsNumber) !== (control.value === "")) {
    throw new NoValue(t("{label}: this is no number.", { label }));
  }
  return control.value === "" ? null : control.valueAsNumber;
}
